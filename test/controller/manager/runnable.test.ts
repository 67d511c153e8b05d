import { expect, it } from 'vitest';
import { asRunnable, checkRunnable, runGroupOf } from '../../../src/controller/manager/runnable.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { CONFIG_MAPS, inProcess } from '../../support/in-process.ts';

it('a factory is a runnable that starts its informers, and ends them when its signal aborts', async () => {
  await using place = await inProcess();
  const factory = dynamicInformerFactory(place.client, { clock: place.clock });
  const informer = factory.forResource(CONFIG_MAPS).informer;
  const runnable = asRunnable(factory);
  const ending = new AbortController();
  let hasEnded = false;
  const run = runnable.run(ending.signal).then(() => {
    hasEnded = true;
  });
  await informer.whenSynced();
  expect([runnable.name, hasEnded, informer.isStopped]).toEqual(['informers', false, false]);
  const later = factory.forResource({ ...CONFIG_MAPS, resource: 'pods' }).informer;
  factory.start(ending.signal);
  await later.whenSynced();
  ending.abort();
  await run;
  expect(informer.isStopped).toBe(true);
});

it('anything else with a function run is a runnable as it is, and nothing else is', () => {
  const runnable = { run: async () => {} };
  expect(asRunnable(runnable)).toBe(runnable);
  expect(() => checkRunnable(runnable)).not.toThrow();
  for (const wrong of [undefined, null, {}, { run: 'now' }, () => {}])
    expect(() => checkRunnable(wrong)).toThrow('manager.add takes an object with run(signal)');
});

it('caches run in the group cache, everything else where the leader is', async () => {
  await using place = await inProcess();
  const factory = dynamicInformerFactory(place.client);
  checkRunnable(factory);
  expect([factory, new SharedInformer(place.client.resource(CONFIG_MAPS)), { run() {} }].map(runGroupOf)).toEqual([
    ...['cache', 'cache', 'leader'],
  ]);
});
