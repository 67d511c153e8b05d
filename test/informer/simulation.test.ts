import { describe, expect, it } from 'vitest';
import type { Notification } from '../../src/informer/notification.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { type Random, seededRandom } from '../../src/kit/random.ts';
import { failure, StatusError } from '../../src/model/status.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import type { Pod } from '../support/objects.ts';
import { networkError } from '../support/scripted-lister-watcher.ts';
import { VersionedSource } from '../support/versioned-source.ts';

const SEEDS = 60;
const STEPS = 150;
const NAMESPACES = ['a', 'b'];

interface Run {
  source: VersionedSource;
  informer: SharedInformer<Pod>;
  clock: FakeClock;
  handler: ReturnType<typeof createRecordingHandler<Pod>>;
  coalesced: ReturnType<typeof createRecordingHandler<Pod>>;
  stop: () => Promise<void>;
  trace: string[];
}

const pick = <V>(random: Random, values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;

function begin(seed: number, random: Random): Run {
  const clock = new FakeClock();
  const source = new VersionedSource();
  source.canStream = random() < 0.7;
  for (let i = 0; i < 5; i++) source.put(`${pick(random, NAMESPACES)}/p${i}`);
  const scopes =
    seed % 3 === 0 ? NAMESPACES.map((namespace) => ({ namespace, source: source.resource(namespace) })) : [{ source: source.resource() }];
  const trace: string[] = [];
  const informer = new SharedInformer<Pod>(scopes, {
    clock,
    random,
    sync: pick(random, ['stream', 'list', 'pages', 'auto'] as const),
    pageSize: pick(random, [0, 2, 3]),
    freeze: true,
    indexers: { node: (o) => [o.spec?.nodeName ?? ''] },
    onContinuity: (e) => trace.push(`${e.at} ${e.kind} ${'why' in e ? e.why : ''}`),
  });
  const handler = createRecordingHandler<Pod>();
  const coalesced = createRecordingHandler<Pod>({ pause: () => clock.sleep(300) });
  informer.addHandler(handler, { policy: pick(random, ['buffer', 'block'] as const) });
  informer.addHandler(coalesced, { policy: 'coalesce' });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  const stop = async () => {
    controller.abort();
    await clock.advance(1000); // the slow handler's last sleep
    await running;
  };
  return { source, informer, clock, handler, coalesced, stop, trace };
}

function operate(source: VersionedSource, random: Random): void {
  const key = `${pick(random, NAMESPACES)}/p${Math.floor(random() * 6)}`;
  if (source.has(key) && random() < 0.4) source.delete(key);
  else source.put(key, pick(random, ['n1', 'n2', 'n3']));
}

function disturb(source: VersionedSource, random: Random): void {
  const fault = pick(random, ['cut', 'close', 'stall', 'gone', 'throttle', 'compact', 'refused', '429', '500', '410', 'bookmark'] as const);
  const refuse = (make: () => Error) => {
    for (let i = Math.ceil(random() * 3); i > 0; i--) source.faults.push(make);
  };
  if (fault === 'compact') source.compact(Math.floor(random() * 3));
  else if (fault === 'refused') refuse(() => networkError('ECONNREFUSED'));
  else if (fault === '429') refuse(() => new StatusError(failure(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 2 })));
  else if (fault === '500') refuse(() => new StatusError(failure(500, 'InternalError', 'no')));
  else if (fault === '410') refuse(() => new StatusError(failure(410, 'Expired', 'too old')));
  else if (fault === 'bookmark') source.sendBookmarks();
  else source.disturb(fault);
}

/** Lets things go quiet: no more faults, a bookmark a minute, time enough for every pause and silence. */
async function quieten({ source, clock }: Run): Promise<void> {
  source.faults.length = 0;
  for (let minute = 0; minute < 12; minute++) {
    await clock.advance(60_000);
    source.sendBookmarks();
  }
  await clock.advance(1000);
}

const versionOf = (o: { metadata: { readonly resourceVersion?: string } }) => o.metadata.resourceVersion ?? '';

/** Replays notifications as a consumer would; fails where they make no sense in their order. */
function replayed(notifications: readonly Notification<Pod>[], isCoalesced: boolean): string[] {
  const known = new Map<string, string>();
  for (const n of notifications) {
    const before = known.get(n.key);
    if (n.kind === 'added') expect(before, `added ${n.key}`).toBeUndefined();
    else expect(before, `${n.kind} ${n.key}`).toBeDefined();
    // Went and came again while waiting: the old object is its final state, which the slow handler had not been told.
    if (n.kind === 'updated' && !(isCoalesced && n.uidChanged)) expect(versionOf(n.oldObject), `old of ${n.key}`).toBe(before);
    if (n.kind !== 'added' && !isCoalesced) expect(Number(versionOf(n.object)), `order of ${n.key}`).toBeGreaterThanOrEqual(Number(before));
    if (n.kind === 'deleted') known.delete(n.key);
    else known.set(n.key, versionOf(n.object));
  }
  return [...known].map(([key, version]) => `${key}@${version}`).sort();
}

function checkEnd({ source, informer, handler, coalesced }: Run): void {
  const { lister } = informer;
  expect(informer.hasSynced).toBe(true);
  expect(
    lister
      .list()
      .map((o) => `${o.metadata.namespace}/${o.metadata.name}@${versionOf(o)}`)
      .sort(),
  ).toEqual(source.state);
  expect(replayed(handler.notifications, false)).toEqual(source.state);
  expect(replayed(coalesced.notifications, true)).toEqual(source.state);
  for (const node of ['n1', 'n2', 'n3']) {
    expect(lister.indexKeys('node', node)).toEqual([...lister.keys()].filter((key) => lister.get(key)?.spec?.nodeName === node).sort());
  }
  for (const continuity of informer.continuity) {
    expect(continuity.relists).toBeLessThanOrEqual(continuity.gapCount);
    expect(continuity.gaps.every((gap) => gap.to !== undefined)).toBe(true);
  }
}

/** Without a gap, what the handler heard behind the first state is the source's history, change by change. */
function checkUnbroken({ source, informer, handler }: Run): void {
  const [first, ...others] = informer.continuity;
  if (others.length > 0 || !first || first.gapCount > 0 || source.log[0]?.version !== 2) return;
  const synced = Number(first.stretches[0]?.to);
  const told = handler.notifications.filter((n) => n.cause === 'watch').map((n) => `${n.key}@${versionOf(n.object)}`);
  const made = source.log
    .filter((c) => c.version > synced)
    .map((c) => `${c.event.object.metadata.namespace}/${c.event.object.metadata.name}@${c.version}`);
  expect(told).toEqual(made);
}

async function simulate(seed: number, faultRate: number): Promise<Run> {
  const random = seededRandom(seed);
  const run = begin(seed, random);
  for (let step = 0; step < STEPS; step++) {
    for (let i = Math.floor(random() * 4); i > 0; i--) operate(run.source, random);
    if (random() < faultRate) disturb(run.source, random);
    await run.clock.advance(Math.floor(random() ** 3 * 20_000));
  }
  await quieten(run);
  return run;
}

describe('under random operations and faults', () => {
  it.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
    'seed %s: the cache ends like the source, and every story told adds up',
    async (seed) => {
      const run = await simulate(seed, 0.15);
      checkEnd(run);
      checkUnbroken(run);
      await run.stop();
      expect(run.clock.pending).toBe(0);
      expect(run.source.openStreams).toBe(0);
    },
  );

  it('the same seed gives the same trace', async () => {
    const [one, two] = [await simulate(4, 0.2), await simulate(4, 0.2)];
    expect(one.trace.length).toBeGreaterThan(5);
    expect(two.trace).toEqual(one.trace);
    expect(two.handler.lines).toEqual(one.handler.lines);
    expect(two.source.requests).toEqual(one.source.requests);
    await one.stop();
    await two.stop();
  });
});

describe('without faults that lose history', () => {
  it.each(Array.from({ length: 10 }, (_, i) => i + 101))('seed %s: nothing is relisted and every change is told', async (seed) => {
    const random = seededRandom(seed);
    const run = begin(seed * 3 + 1, random);
    await run.clock.advance(60_000);
    for (let step = 0; step < STEPS; step++) {
      for (let i = Math.floor(random() * 4); i > 0; i--) operate(run.source, random);
      if (random() < 0.15) {
        run.source.disturb(pick(random, ['cut', 'stall', 'throttle'] as const));
        run.source.faults.push(() => networkError('ECONNREFUSED'));
      }
      await run.clock.advance(Math.floor(random() * 20_000));
    }
    await quieten(run);
    expect(run.informer.continuity[0]).toMatchObject({ relists: 0, gapCount: 0 });
    expect(run.informer.continuity[0]?.resumes).toBeGreaterThan(5);
    checkEnd(run);
    checkUnbroken(run);
    await run.stop();
  });
});

describe('a server that comes back with another history', () => {
  it.each(['stream', 'list', 'pages', 'auto'] as const)('is found out in mode %s, though its versions lie behind ours', async (sync) => {
    const clock = new FakeClock();
    const source = new VersionedSource();
    for (let i = 0; i < 300; i++) source.put(`a/p${i % 5}`);
    const informer = new SharedInformer<Pod>(source.resource(), { clock, sync, random: () => 0 });
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    await clock.advance(1000);
    handler.clear();
    source.restartWithNewHistory(['a/p0', 'a/new']);
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(60_000);
      source.sendBookmarks();
    }
    expect([...informer.lister.keys()].sort()).toEqual(['a/new', 'a/p0']);
    expect(handler.notifications.filter((n) => n.kind === 'deleted')).toHaveLength(4);
    expect(handler.notifications.every((n) => n.cause === 'relist')).toBe(true);
    expect(informer.continuity[0]).toMatchObject({ gapCount: 1, relists: 1 });
    controller.abort();
    await running;
  });
});
