import { expect, it } from 'vitest';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { ListerWatcher } from '../../src/informer/watch/lister-watcher.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import type { Waiter } from '../../src/stream/conditions/waiter.ts';
import { Enveloper } from '../../src/stream/envelope.ts';
import { streamEvents } from '../../src/stream/event-stream.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, ConfigMaps, inProcess } from '../support/in-process.ts';
import { added, modified, page, ScriptedListerWatcher, ScriptedStream } from '../support/scripted-events.ts';

const TYPE = { gvr: CONFIG_MAPS, kind: 'ConfigMap' } as ResourceType;

/** A stream over an informer, both running. */
function streamOf(
  source: ListerWatcher<UnknownObject>,
  clock: FakeClock,
  options: SharedInformerOptions<UnknownObject> = {},
  waiter?: Waiter,
) {
  const ending = new AbortController();
  const shown: string[] = [];
  const informer = new SharedInformer<UnknownObject>(source, { clock, sync: 'list', random: () => 0, ...options });
  const running = informer.run(ending.signal);
  const done = streamEvents(
    {
      targets: [{ type: TYPE, informer }],
      waiter,
      enveloper: new Enveloper({ clock, redactor: new Redactor() }),
      print: (event) => void shown.push(`${event.type} ${event.object.metadata.resourceVersion} ${event.cause}`),
    },
    ending.signal,
  );
  const end = async () => {
    ending.abort();
    await Promise.all([running, done]);
  };
  return { shown, informer, end };
}

async function served(options?: SharedInformerOptions<UnknownObject>) {
  const { sandbox, clock, client } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  const first = maps.put('shop/a');
  return { sandbox, clock, maps, first, ...streamOf(client.resource(CONFIG_MAPS), clock, options) };
}

it('shows a state once if the server sends it twice or a relist finds it unchanged', async () => {
  const { sandbox, clock, maps, first, shown, informer, end } = await served();
  sandbox.faults.add({ fault: { kind: 'duplicate' }, match: { watch: true } });
  await clock.advance(1000);
  const second = maps.put('shop/a', 'n2');
  await settled();
  sandbox.faults.add({ fault: { kind: 'gone' }, match: { watch: true } });
  await sandbox.restart({ keepHistory: true });
  await clock.advance(60_000);
  expect(informer.continuity[0]).toMatchObject({ relists: 1 });
  void sandbox.restart({ downMs: 5000 });
  const third = maps.put('shop/a', 'n3');
  await clock.advance(60_000);
  expect(informer.continuity[0]).toMatchObject({ relists: 2 });
  expect(shown).toEqual([`ADDED ${first} initial`, `MODIFIED ${second} watch`, `MODIFIED ${third} relist`]);
  await end();
});

it('shows a resync', async () => {
  const { clock, first, shown, end } = await served({ resyncMs: 60_000 });
  await clock.advance(90_000);
  expect(shown).toEqual([`ADDED ${first} initial`, `MODIFIED ${first} resync`]);
  await end();
});

it('shows an update of an object without a version', async () => {
  const bare: UnknownObject = { metadata: { name: 'a', namespace: 'shop' } };
  const stream = new ScriptedStream<UnknownObject>().send(added(bare), modified({ ...bare }));
  const { shown, end } = streamOf(
    new ScriptedListerWatcher<UnknownObject>().onList(() => page('1')).onWatch(stream),
    new FakeClock(),
  );
  await settled();
  expect(shown).toEqual(['ADDED undefined watch', 'MODIFIED undefined watch']);
  await end();
});

it('shows everything although its waiter fails at each step', async () => {
  const objects = Array.from({ length: 1500 }, (_, i) => ({
    metadata: { name: `o${i}`, namespace: 'shop', resourceVersion: `${i + 1}` },
  }));
  const source = new ScriptedListerWatcher<UnknownObject>()
    .onList(() => page<UnknownObject>('2000', objects))
    .onWatch(new ScriptedStream());
  const clock = new FakeClock();
  const waiter = {
    outcome: new Promise<never>(() => {}),
    settled: undefined,
    errors: 0,
    synced() {
      throw new Error('no');
    },
    handle() {
      clock.tick(1); // so that it gives way to others, and they get ahead of it
      throw new Error('no');
    },
  } as unknown as Waiter;
  const { shown, informer, end } = streamOf(source, clock, {}, waiter);
  for (let i = 0; i < 100; i++) await settled();
  expect(informer.hasSynced).toBe(true);
  expect(shown).toHaveLength(1500);
  await end();
});
