import { expect, it } from 'vitest';
import { CoalescingQueue, SYNCED } from '../../../src/informer/handlers/handler-queue.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { OrderedContinuity } from '../../../src/informer/watch/ledger.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../../support/in-process.ts';

/** An informer of one config map, whose first stream brings its first state and then so many changes before the server says 410. */
async function bench({ changes }: { changes: number }) {
  const { sandbox, clock, client } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  const versions = [maps.put('shop/web')];
  sandbox.faults.add({ fault: { kind: 'gone', after: 2 + changes }, match: { watch: true } });
  const source = client.resource<ConfigMap>(CONFIG_MAPS);
  const informer = new SharedInformer<ConfigMap>(source, { name: 'v1/configmaps', clock, sync: 'stream', random: () => 0 });
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  /** Changes it, so many times that the stream ends with it, and once more before anything is listed. */
  const change = async () => {
    for (let i = 0; i <= changes; i++) {
      versions.push(maps.put('shop/web', `n${i}`));
    }
  };
  const stop = async () => {
    ending.abort();
    await running;
    await sandbox.stop();
  };
  return { sandbox, informer, clock, versions, change, stop };
}

const told = (event: OrderedContinuity) => {
  if (event.kind === 'gap') return `gap from ${event.from}`;
  return event.kind === 'relisted' ? `relisted ${event.objects}` : event.kind;
};

it('a handler hears of a gap behind what was seen before it, and of the relist behind what it brought', async () => {
  const { informer, clock, versions, change, stop } = await bench({ changes: 1 });
  const handler = createRecordingHandler<ConfigMap>();
  informer.addHandler({ ...handler, continuity: (event) => void handler.lines.push(told(event)) });
  await settled();
  await change();
  await clock.advance(60_000);
  const [first, second, third] = versions;
  expect(handler.lines).toEqual([
    `added shop/web@${first}`,
    'synced',
    `updated shop/web@${first}->${second}`,
    `gap from ${second}`,
    `updated shop/web@${second}->${third}`,
    'relisted 1',
  ]);
  await stop();
});

it('a handler that is behind hears of a gap in its place all the same', async () => {
  const { informer, clock, versions, change, stop } = await bench({ changes: 2 });
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const handler = createRecordingHandler<ConfigMap>({ pause: () => gate });
  informer.addHandler({ ...handler, continuity: (event) => void handler.lines.push(told(event)) }, { policy: 'block', blockAt: 1 });
  await settled();
  await change();
  await clock.advance(60_000);
  const [first, second, third, fourth] = versions;
  expect(handler.lines).toEqual([`added shop/web@${first}`]);
  release();
  await clock.advance(60_000);
  expect(handler.lines).toEqual([
    `added shop/web@${first}`,
    'synced',
    `updated shop/web@${first}->${second}`,
    `updated shop/web@${second}->${third}`,
    `gap from ${third}`,
    `updated shop/web@${third}->${fourth}`,
    'relisted 1',
  ]);
  await stop();
});

it('a handler that filters hears of it too, and a coalescing queue keeps it', async () => {
  const { informer, clock, versions, stop } = await bench({ changes: 0 });
  const heard: string[] = [];
  informer.addHandler({ continuity: (event) => void heard.push(told(event)) }, { filter: () => false, policy: 'coalesce' });
  await clock.advance(60_000);
  expect(heard).toEqual([`gap from ${versions[0]}`, 'relisted 1']);
  await stop();
});

it('a coalescing queue merges nothing with it', () => {
  const queue = new CoalescingQueue<ConfigMap>(() => {});
  const event = { kind: 'gap', from: '1', why: 'gone', at: 0 } as const;
  queue.push({ kind: 'continuity', event });
  queue.push({ kind: 'continuity', event });
  queue.push(SYNCED);
  expect([queue.size, queue.shift(), queue.shift(), queue.shift()]).toEqual([
    3,
    { kind: 'continuity', event },
    { kind: 'continuity', event },
    SYNCED,
  ]);
});

it('a handler that comes while a gap is open hears of it behind its first state, and one that comes after the relist does not', async () => {
  const { sandbox, informer, clock, versions, change, stop } = await bench({ changes: 1 });
  await settled();
  const record = () => {
    const handler = createRecordingHandler<ConfigMap>();
    informer.addHandler({ ...handler, continuity: (event) => void handler.lines.push(told(event)) });
    return handler.lines;
  };
  const gaps: number[] = [];
  informer.onContinuity(({ kind }) => void (kind === 'gap' && gaps.push(1)));
  sandbox.faults.add({ fault: { kind: 'delay', ms: 5_000 }, match: { path: '/configmaps' } }); // the relist takes its time
  await change();
  while (gaps.length === 0) await clock.advance(1);
  const during = record();
  await settled();
  const [, second, third] = versions;
  expect(during).toEqual([`added shop/web@${second}`, 'synced', `gap from ${second}`]);
  await clock.advance(60_000);
  const after = record();
  await settled();
  expect(during.slice(3)).toEqual([`updated shop/web@${second}->${third}`, 'relisted 1']);
  expect(after).toEqual([`added shop/web@${third}`, 'synced']);
  await stop();
});
