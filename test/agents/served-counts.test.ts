import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServedCounts, servedCountText } from '../../src/agents/served-counts.ts';
import { failure, StatusError } from '../../src/model/status.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/index.ts';
import { type Agent, agentsOf } from '../support/agents.ts';
import { pod } from '../support/fixture.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start({});
  sandbox.apply(Array.from({ length: 40 }, (_, i) => pod(`web-${i}`)));
  sandbox.apply([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'shop' }, data: {} }]); // biome-ignore format: one object
});
afterAll(() => sandbox.stop());

const asked = () => sandbox.requests.matching(/\?limit=1$/).map(({ path }) => path);

describe('types says how many objects there are of types that are not cached', () => {
  let agents: Awaited<ReturnType<typeof agentsOf>>;
  let agent: Agent;
  beforeAll(async () => {
    agents = await agentsOf(sandbox);
    agent = await agents.agent();
  });
  afterAll(() => agents[Symbol.asyncDispose]());

  it('by one request for each, at most sixty of them', async () => {
    const before = asked().length;
    const text = await agent.told('types', { match: 's' });
    expect(text).toMatch(
      /^no type is cached yet; a first question caches one of\n(.*\n)*\| core: .* pods 40,.* secrets 1,/,
    );
    expect(text).toMatch(/\nnumbers of types that are not cached: as the server gave them up to \S+ ago/);
    const paths = asked().slice(before);
    expect(paths).toHaveLength(new Set(paths).size);
    expect(paths.length).toBeLessThanOrEqual(60);
  });

  it('and remembers them for a minute', async () => {
    const before = asked().length;
    await agent.told('types', { match: 'pods' });
    expect(asked()).toHaveLength(before);
  });

  it('but those of cached types are those of the cache', async () => {
    await agent.told('count', { type: 'pods' });
    expect(await agent.told('types', { match: 'pods' })).toMatch(/\n\| pods\t40\n(?!.*pods 40)/);
  });
});

it.each([
  [{ kind: 'status', code: 403 }, /core:.* secrets \(403\)/],
  [{ kind: 'delay', ms: 20_000 }, /core:.* secrets \(too slow\)/],
] as const)(
  'a type whose number is not known for %j is there without one',
  async (fault, shown) => {
    await using own = await agentsOf(sandbox);
    sandbox.faults.add({ fault: fault as never, match: { path: '/secrets' }, times: Number.POSITIVE_INFINITY });
    try {
      expect(await (await own.agent()).told('types', { match: 's' })).toMatch(shown);
    } finally {
      sandbox.faults.clear();
    }
  },
  20_000,
);

it('a type that is too slow has no part in how old the numbers are', async () => {
  await using own = await agentsOf(sandbox);
  sandbox.faults.add({ fault: { kind: 'delay', ms: 20_000 }, match: { path: '/secrets' }, times: Number.POSITIVE_INFINITY }); // biome-ignore format: one call
  try {
    const text = await (await own.agent()).told('types', { match: 's' });
    expect(text).toMatch(/\nnumbers of types .* up to \d+m?s ago; none: not counted in time$/);
  } finally {
    sandbox.faults.clear();
  }
}, 20_000);

it.each([
  ['a server that does not answer any more', new Error('connect ECONNREFUSED'), 'no answer'],
  ['a type that may not be listed any more', new StatusError(failure(403, 'Forbidden', 'no')), '403'],
])('the number of %s stays, with its age and why there is no newer one', async (_, error, why) => {
  const clock = new FakeClock();
  let asks = 0;
  const list = async (): Promise<unknown> => {
    if (++asks > 1) throw error;
    return { items: [{}], remainingItemCount: 6, continue: 'x' };
  };
  const served = new ServedCounts({ clock, client: { resource: () => ({ list }) } } as never);
  const type = { gvr: { group: '', version: 'v1', resource: 'pods' } } as never;
  const ask = async () => [...(await served.of([type], new AbortController().signal)).values()];
  const at = clock.now();
  expect(await ask()).toEqual([{ count: 7, why: undefined, at }]);
  expect(servedCountText((await ask())[0])).toBe(' 7');
  await clock.advance(60_000);
  for (const _again of [1, 2]) expect(await ask()).toEqual([{ count: 7, why, at }]);
  expect(servedCountText((await ask())[0])).toBe(` 7 (before; now ${why})`);
  expect(asks).toBe(2); // a failure too is remembered for a minute
  await clock.advance(60_000);
  await ask();
  expect(asks).toBe(3);
});

it('a count that is too slow does not replace the one before, and is asked for again', async () => {
  const clock = new FakeClock();
  let asks = 0;
  const list = async (): Promise<unknown> => (++asks === 1 ? { items: [{}], remainingItemCount: 6, continue: 'x' } : new Promise(() => {})); // biome-ignore format: one function
  const served = new ServedCounts({ clock, client: { resource: () => ({ list }) } } as never);
  const type = { gvr: { group: '', version: 'v1', resource: 'pods' } } as never;
  const first = await served.of([type], new AbortController().signal);
  const known = { count: 7, why: undefined, at: clock.now() };
  expect([...first.values()]).toEqual([known]);
  for (const times of [2, 3]) {
    await clock.advance(60_000);
    const again = served.of([type], new AbortController().signal);
    await clock.advance(3000);
    expect([...(await again).values()]).toEqual([known]);
    expect(asks).toBe(times);
  }
});
