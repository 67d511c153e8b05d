import { afterEach, describe, expect, it } from 'vitest';
import type { ScopedSource, SharedInformerOptions } from '../../src/informer/informer-options.ts';
import type { ContinuityEvent } from '../../src/informer/watch/continuity-ledger.ts';
import type { StoredState } from '../../src/informer/watch/stored-state.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess, readsOf } from '../support/in-process.ts';
import { StateCopy } from '../support/state-copy.ts';
import { SharedInformer } from '../support/store-under-test.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type World = Awaited<ReturnType<typeof world>>;

async function world(keys: readonly string[] = ['a/p0', 'a/p1', 'b/p2']) {
  const made = await inProcess();
  const maps = new ConfigMaps(made.sandbox);
  for (const key of keys) maps.put(key);
  ends.push(() => made.sandbox.stop());
  return { ...made, maps };
}

/** An informer that begins with a stored state, and all that it says. `end` is a kill: nothing is written after it. */
function run(
  { client, clock }: Pick<World, 'client' | 'clock'>,
  stored?: StoredState<ConfigMap>,
  options: SharedInformerOptions<ConfigMap> & Partial<ScopedSource<ConfigMap>> = {},
) {
  const { namespace, ...own } = options;
  const events: ContinuityEvent[] = [];
  const source = { namespace, source: client.resource<ConfigMap>(CONFIG_MAPS, { namespace }), stored };
  const informer = new SharedInformer<ConfigMap>([source], {
    name: 'v1/configmaps',
    clock,
    random: () => 0,
    sync: 'list',
    onContinuity: (event) => events.push(event),
    ...own,
  });
  const copy = new StateCopy(clock, stored);
  informer.onState((change) => copy.take(change));
  const handler = createRecordingHandler<ConfigMap>();
  informer.addHandler(handler);
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  const end = async () => {
    controller.abort();
    await running;
  };
  ends.push(end);
  return { informer, handler, events, copy, end };
}

/** What an earlier run has stored. */
async function storedBy(world: World, options: Parameters<typeof run>[2] = {}): Promise<StoredState<ConfigMap>> {
  const earlier = run(world, undefined, options);
  await world.clock.advance(1000);
  await earlier.end();
  const { state } = earlier.copy;
  if (state === undefined) throw new Error('nothing was stored');
  return state;
}

const stateOf = (informer: SharedInformer<ConfigMap>) =>
  informer.lister
    .list()
    .map(({ metadata: { namespace, name, resourceVersion } }) => `${namespace}/${name}@${resourceVersion}`)
    .sort();

const kindsOf = (events: readonly ContinuityEvent[]) =>
  events.map((event) => ('why' in event ? `${event.kind} ${event.why}` : event.kind));

describe('an informer that begins with a stored state', () => {
  it('resumes the watch at the stored version, and brings the changes since then one by one', async () => {
    const here = await world();
    const stored = await storedBy(here);
    here.maps.put('a/p0', 'n2');
    here.maps.delete('a/p1');
    here.maps.put('b/new');
    await here.clock.advance(60_000);
    const before = readsOf(here.sandbox).length;
    const { informer, handler, events } = run(here, stored);
    await here.clock.advance(5000);
    expect(readsOf(here.sandbox).slice(before)).not.toContain('list 0');
    expect(readsOf(here.sandbox).slice(before)).toContain(`watch ${stored.resourceVersion}`);
    expect(stateOf(informer)).toEqual(here.maps.state);
    expect(handler.lines.map((line) => line.replace(/@.*|->.*/, ''))).toEqual(
      expect.arrayContaining(['added a/p0', 'added a/p1', 'deleted a/p1', 'added b/new', 'synced']),
    );
    expect(handler.lines.at(-1)).toBe('synced');
    expect(kindsOf(events)).toEqual(['restored', 'resumed restart', 'verified']);
    expect(informer.continuity[0]?.stretches.map(({ by, from, events }) => [by, from, events])).toEqual([
      ['restored', '', 3],
      ['resumed', stored.resourceVersion, 3],
    ]);
    const resumed = events.find((event) => event.kind === 'resumed');
    expect(resumed).toMatchObject({ since: stored.resourceVersion, disconnectedAt: stored.at });
    expect(resumed?.kind === 'resumed' && resumed.downMs).toBeGreaterThanOrEqual(60_000);
    expect(informer.continuity[0]).toMatchObject({ relists: 0, gapCount: 0, verifications: 1, drifts: 0 });
  });

  it('has not synced before a list of the metadata has shown that it has caught up', async () => {
    const here = await world();
    const stored = await storedBy(here);
    here.maps.put('a/p0', 'n2');
    here.sandbox.faults.add({ fault: { kind: 'stall', after: 0 }, match: { watch: true } });
    const { informer, handler } = run(here, stored);
    await here.clock.advance(5000);
    expect([informer.hasSynced, handler.lines.includes('synced')]).toEqual([false, false]);
    await here.clock.advance(60_000);
    expect([informer.hasSynced, handler.lines.includes('synced')]).toEqual([true, true]);
    expect(stateOf(informer)).toEqual(here.maps.state);
  });

  it('lists and compares when the history since the stored version is gone, and records the gap', async () => {
    const here = await world();
    const stored = await storedBy(here);
    here.maps.delete('a/p1');
    here.maps.put('a/p0', 'n2');
    here.maps.delete('b/p2');
    here.maps.put('b/p2'); // another object of the same name
    here.maps.put('b/new');
    await here.sandbox.compact();
    const { informer, handler, events } = run(here, stored);
    await here.clock.advance(60_000);
    expect(stateOf(informer)).toEqual(here.maps.state);
    const changes = handler.lines.filter((line) => line !== 'synced').slice(3);
    expect(changes.map((line) => line.replace(/@\d+|@.*->.*/, ''))).toEqual([
      'deleted a/p1 (unknown)',
      expect.stringMatching(/^updated a\/p0/),
      'added b/new',
      expect.stringMatching(/^(updated|replaced) b\/p2/),
    ]);
    expect(kindsOf(events)).toEqual(expect.arrayContaining(['restored', 'gap gone', 'relisted gone']));
    expect(kindsOf(events)).not.toContain('resumed restart');
    const stretches = informer.continuity[0]?.stretches.map(({ by, events, ended }) => [by, events, ended]);
    expect(stretches?.slice(0, 3)).toEqual([
      ['restored', 3, undefined],
      ['resumed', 0, 'gone'],
      ['relist', 3, undefined],
    ]);
  });

  it.each([
    ['a version that no server accepts', 'not-a-version'],
    ['a version of the future', '999999999'],
  ])('lists when the stored version is %s', async (_, resourceVersion) => {
    const here = await world();
    const stored = await storedBy(here);
    const { informer } = run(here, { ...stored, resourceVersion });
    await here.clock.advance(120_000);
    expect(informer.hasSynced).toBe(true);
    expect(stateOf(informer)).toEqual(here.maps.state);
  });

  it('notices another server behind the same address, whose version is past the stored one', async () => {
    const stored = await storedBy(await world());
    const other = await world(['a/p0', 'c/other']);
    for (let i = 0; i < 50; i++) other.maps.put('c/other', `n${i}`);
    const { informer, events } = run(other, stored);
    await other.clock.advance(60_000);
    expect(informer.hasSynced).toBe(true);
    expect(stateOf(informer)).toEqual(other.maps.state);
    expect(events.some((event) => event.kind === 'gap')).toBe(true);
  });

  it('repairs objects that the stored state is missing, has too many of, or has in another version', async () => {
    const here = await world();
    const stored = await storedBy(here);
    const [p0, p1] = stored.objects as [ConfigMap, ConfigMap];
    const objects = [
      { ...p0, metadata: { ...p0.metadata, resourceVersion: '1' } },
      p1,
      { ...p1, metadata: { ...p1.metadata, name: 'never', uid: 'u' } },
    ];
    const { informer, events } = run(here, { ...stored, objects });
    await here.clock.advance(120_000);
    expect(stateOf(informer)).toEqual(here.maps.state);
    expect(informer.continuity[0]?.relists).toBe(1);
    expect(kindsOf(events)).not.toContain('verified');
  });

  it('takes a stored object as it is: the transform has made it', async () => {
    const here = await world();
    let calls = 0;
    const transform = (object: ConfigMap) => {
      calls++;
      return object;
    };
    const stored = await storedBy(here, { transform });
    calls = 0;
    const { informer } = run(here, stored, { transform });
    await here.clock.advance(5000);
    expect([informer.hasSynced, informer.lister.size, calls]).toEqual([true, 3, 0]);
  });

  it('shows the age of the stored state until the server has proven it', async () => {
    const here = await world();
    const stored = await storedBy(here);
    await here.clock.advance(100_000);
    for (const watch of [true, false])
      here.sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { watch }, times: 100 });
    const { informer } = run(here, stored);
    await here.clock.advance(10);
    expect(informer.continuity[0]?.ageMs).toBeGreaterThanOrEqual(100_000);
    expect(informer.hasSynced).toBe(false);
  });

  it('is listed when it cannot be compared', async () => {
    const here = await world();
    const stored = await storedBy(here);
    const source = here.client.resource<ConfigMap>(CONFIG_MAPS);
    const { probe: _, ...rest } = { list: source.list.bind(source), watch: source.watch.bind(source), probe: 0 };
    const informer = new SharedInformer<ConfigMap>([{ source: rest, stored: { ...stored, resourceVersion: '0' } }], {
      clock: here.clock,
      sync: 'list',
    });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    await here.clock.advance(1000);
    expect(informer.continuity[0]?.stretches[0]?.by).toBe('initial');
    controller.abort();
    await running;
  });
});

describe('an observer of the state', () => {
  it('gets a whole list, then each change with its version, and bookmarks', async () => {
    const here = await world();
    const { copy, informer } = run(here);
    await here.clock.advance(1000);
    expect(copy.steps[0]).toMatch(/^whole a\/p0,a\/p1,b\/p2 @\d+$/);
    const version = here.maps.put('a/p0', 'n2');
    here.maps.delete('b/p2');
    await here.clock.advance(1000);
    expect(copy.steps.slice(1).join('; ')).toContain('a/p0');
    expect(copy.state?.objects.map(({ metadata }) => metadata.name)).toEqual(['p0', 'p1']);
    expect(Number(copy.state?.resourceVersion)).toBeGreaterThan(Number(version));
    await here.clock.advance(120_000); // a bookmark
    expect(copy.state?.resourceVersion).toBe(informer.lastSyncResourceVersion);
  });

  it('gets no version when the cache refused a change', async () => {
    const here = await world();
    let isBroken = false;
    const { copy } = run(here, undefined, {
      transform: (object) => {
        if (isBroken) throw new Error('no');
        return object;
      },
    });
    await here.clock.advance(1000);
    isBroken = true;
    here.maps.put('a/p0', 'n2');
    await here.clock.advance(1000);
    isBroken = false;
    here.maps.put('a/p1', 'n2');
    await here.clock.advance(1000);
    expect(copy.steps.at(-1)).toBe('a/p1 @');
    expect(copy.state).toBeUndefined();
  });
});

it('a source of a cache without a stored state begins with a list beside one that has it', async () => {
  const here = await world();
  const stored = await storedBy(here, { namespace: 'a' });
  const resource = (namespace: string) => here.client.resource<ConfigMap>(CONFIG_MAPS, { namespace });
  const informer = new SharedInformer<ConfigMap>(
    [
      { namespace: 'a', source: resource('a'), stored },
      { namespace: 'b', source: resource('b') },
    ],
    { clock: here.clock, sync: 'list' },
  );
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await here.clock.advance(5000);
  expect(informer.hasSynced).toBe(true);
  expect(stateOf(informer)).toEqual(here.maps.state);
  expect(informer.continuity.map(({ stretches }) => stretches[0]?.by)).toEqual(['restored', 'initial']);
  controller.abort();
  await running;
});
