import { expect, it } from 'vitest';
import { oldCaches } from '../../../src/cli/hints/last-proof.ts';
import { factsOf, serverOf } from '../../support/hints.ts';

const cache = (name: string, ageMs: number, connection: object = { state: 'connected' }) => ({
  informer: { name, continuity: [{ ageMs, connection }] },
});
const linesOf = (...targets: object[]) => oldCaches(factsOf([], {}, { targets: targets as never }), serverOf());

it('is silent of caches with a proof since the last bookmark was due', async () => {
  expect(await linesOf(cache('pods', 0), cache('services', 75_000))).toEqual([]);
});

it('names the caches without such a proof together, with its age', async () => {
  expect(await linesOf(cache('pods', 80_000), cache('services', 80_000), cache('secrets', 10))).toEqual([
    'pods, services: last proof 80s ago',
  ]);
});

it('says of a cache without a connection since when and why', async () => {
  const [line] = await linesOf(cache('pods', 1_000, { state: 'disconnected', since: 0, why: 'refused' }));
  expect(line).toMatch(/^pods: last proof 1s ago, disconnected since \d\d:\d\d:\d\d: refused$/);
});
