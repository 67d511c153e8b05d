import { expect, it } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import { informerEvents, informerSource } from '../../src/controller/informer-source.ts';
import { generationChanged } from '../../src/controller/predicate.ts';
import type { ReconcileRequest } from '../../src/controller/reconciler.ts';
import type { ResourceEvent } from '../../src/controller/resource-event.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { added, deleted, modified, page, ScriptedListerWatcher, ScriptedStream } from '../support/scripted-lister-watcher.ts';

function pod(name: string, resourceVersion: string, generation = 1): UnknownObject {
  return { metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion, generation } };
}

function setup() {
  const clock = new FakeClock();
  const stream = new ScriptedStream<UnknownObject>();
  const server = new ScriptedListerWatcher<UnknownObject>().onList(() => page('10', [pod('a', '1'), pod('b', '2')])).onWatch(stream);
  const informer = new SharedInformer(server, { name: 'v1/pods', sync: 'list', clock, random: () => 0 });
  return { clock, stream, informer, abort: new AbortController() };
}

it("tells an informer's notifications as events, the first state as initial", async () => {
  const { informer, stream, abort } = setup();
  const events: string[] = [];
  const subscription = informerEvents(informer).subscribe(({ type, key, cause, object, oldObject, finalStateUnknown }: ResourceEvent) => {
    const versions = [oldObject, object].map((o) => o?.metadata.resourceVersion ?? '').join('>');
    events.push(`${type} ${key} ${cause} ${versions}${finalStateUnknown ? ' unknown' : ''}`);
  });
  const run = informer.run(abort.signal);
  await subscription.synced;
  stream.send(modified(pod('a', '11')), added(pod('c', '12')), deleted(pod('b', '13')));
  await settled();
  expect(events).toEqual([
    'added shop/a initial >1',
    'added shop/b initial >2',
    'updated shop/a watch 1>11',
    'added shop/c watch >12',
    'deleted shop/b watch >13',
  ]);
  abort.abort();
  await run;
});

it('a controller over an informer runs once its first state is there, then for every change that passes', async () => {
  const { clock, informer, stream, abort } = setup();
  const runs: string[] = [];
  const reconcile = ({ key, causes, gone }: ReconcileRequest) => {
    runs.push(
      `${key} ${causes.map((c) => c.reason)} ${informer.lister.get(key)?.metadata.resourceVersion ?? gone?.metadata.resourceVersion}`,
    );
  };
  const controller = createController({
    name: 'pods',
    clock,
    reconcile,
    sources: [informerSource(informer, { name: 'v1/pods', isPrimary: true, predicate: generationChanged })],
  });
  const running = Promise.all([controller.run(abort.signal), informer.run(abort.signal)]);
  await controller.synced();
  await settled();
  stream.send(modified(pod('a', '11')), modified(pod('a', '12', 2)), deleted(pod('b', '13')));
  await settled();
  expect(runs).toEqual(['shop/a added 1', 'shop/b added 2', 'shop/a updated 12', 'shop/b deleted 13']);
  abort.abort();
  await running;
  expect(clock.pending).toBe(0);
  expect(informer.handlerCount).toBe(0);
});
