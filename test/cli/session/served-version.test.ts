import { expect, it } from 'vitest';
import { ServedType } from '../../../src/cli/session/served-version.ts';
import { createClient } from '../../../src/client/client.ts';
import type { Representation } from '../../../src/client/resource-api.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { Enveloper, type EventEnvelope } from '../../../src/stream/envelope.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const version = (name: string, served: boolean) => ({
  name,
  served,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
});

const things = (served: readonly string[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.lab.example.com' },
  spec: {
    group: 'lab.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing' },
    versions: [version('v1', served.includes('v1')), version('v2', served.includes('v2'))],
  },
});

const thing = (namespace: string, name: string) => ({
  apiVersion: 'lab.example.com/v1',
  kind: 'Thing',
  metadata: { name, namespace },
});

it.each<[string, Representation]>([
  ['objects', 'object'],
  ['tables', { table: 'Object' }],
])('an event of a watch that is still open in the version before says that version, in %s', async (_, as) => {
  const clock = new FakeClock();
  await using sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
  sandbox.apply([things(['v1', 'v2']), thing('a', 'one'), thing('b', 'one')]);
  const client = createClient(sandbox.transport(), { clock });
  const { types } = await client.discovery.snapshot();
  const type = types.find(({ gvr }) => gvr.resource === 'things' && gvr.version === 'v2');
  if (!type) throw new Error('things are not served as v2');
  const served = new ServedType(type, { client, follows: true, advice: '' });
  const enveloper = new Enveloper({ clock, redactor: new Redactor({}) });
  const events: EventEnvelope[] = [];
  const stops = ['a', 'b'].map((namespace) => {
    const informer = new SharedInformer<UnknownObject>(served.source({ namespace, as }), {
      clock,
      logger: silentLogger,
      name: namespace,
      sync: 'auto',
    });
    const record = (object: UnknownObject) =>
      void events.push(...enveloper.envelop({ type: 'added', object, cause: 'watch' }, served.type));
    informer.addHandler({ added: record });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    return async () => {
      controller.abort();
      await running;
    };
  });
  await clock.advance(10);
  sandbox.apply(things(['v1']));
  const source = served.source({ namespace: 'a', as });
  await expect(source.list({}, { signal: new AbortController().signal })).rejects.toThrow('v1 is watched instead');
  sandbox.apply(thing('b', 'two'));
  await clock.advance(100);
  expect(served.type.gvr.version).toBe('v1');
  expect(events.at(-1)).toMatchObject({
    key: 'b/two',
    gvr: 'lab.example.com/v2/things',
    object: { apiVersion: 'lab.example.com/v2' },
  });
  await clock.advance(60_000);
  sandbox.apply(thing('b', 'three'));
  await clock.advance(100);
  expect(events.at(-1)).toMatchObject({
    key: 'b/three',
    gvr: 'lab.example.com/v1/things',
    object: { apiVersion: 'lab.example.com/v1' },
  });
  for (const stop of stops) await stop();
});
