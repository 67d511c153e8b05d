import { expect, it } from 'vitest';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { OrderedContinuity } from '../../../src/informer/watch/continuity-ledger.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../../support/in-process.ts';

/** An informer of one config map. Its first stream brings the initial list and this number of changes, then a 410. */
async function start({ changes }: { changes: number }) {
  const { sandbox, clock, client } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  const versions = [maps.put('shop/web')];
  sandbox.faults.add({ fault: { kind: 'gone', after: 2 + changes }, match: { watch: true } });
  const source = client.resource<ConfigMap>(CONFIG_MAPS);
  const informer = new SharedInformer<ConfigMap>(source, {
    name: 'v1/configmaps',
    clock,
    sync: 'stream',
    random: () => 0,
  });
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  /** Changes the config map until the stream ends, and once more before the relist. */
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

const lineOf = (event: OrderedContinuity) => {
  if (event.kind === 'gap') return `gap from ${event.from}`;
  return event.kind === 'relisted' ? `relisted ${event.objects}` : event.kind;
};

it('a handler gets a gap after every change before it, and the relist after every change that it brought', async () => {
  const { informer, clock, versions, change, stop } = await start({ changes: 1 });
  const handler = createRecordingHandler<ConfigMap>();
  informer.addHandler({ ...handler, continuity: (event) => void handler.lines.push(lineOf(event)) });
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

it('a slow handler also gets a gap in order', async () => {
  const { informer, clock, versions, change, stop } = await start({ changes: 2 });
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const handler = createRecordingHandler<ConfigMap>({ pause: () => gate });
  informer.addHandler(
    { ...handler, continuity: (event) => void handler.lines.push(lineOf(event)) },
    { policy: 'block', blockAt: 1 },
  );
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

it('a filtering handler with a coalescing queue gets it too', async () => {
  const { informer, clock, versions, stop } = await start({ changes: 0 });
  const lines: string[] = [];
  informer.addHandler(
    { continuity: (event) => void lines.push(lineOf(event)) },
    { filter: () => false, policy: 'coalesce' },
  );
  await clock.advance(60_000);
  expect(lines).toEqual([`gap from ${versions[0]}`, 'relisted 1']);
  await stop();
});

it('a handler added while a gap is open gets it after the initial list; one added after the relist does not', async () => {
  const { sandbox, informer, clock, versions, change, stop } = await start({ changes: 1 });
  await settled();
  const record = () => {
    const handler = createRecordingHandler<ConfigMap>();
    informer.addHandler({ ...handler, continuity: (event) => void handler.lines.push(lineOf(event)) });
    return handler.lines;
  };
  const gaps: number[] = [];
  informer.onContinuity(({ kind }) => void (kind === 'gap' && gaps.push(1)));
  // the relist takes its time
  sandbox.faults.add({ fault: { kind: 'delay', ms: 5_000 }, match: { path: '/configmaps' } });
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
