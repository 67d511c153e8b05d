import { expect, it } from 'vitest';
import { latestWrites } from '../../src/agents/latest-writes.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-01-01T12:00:00Z');

const entry = (manager: string, agoMs: number | undefined, subresource?: string) => ({
  manager,
  operation: 'Update',
  ...(agoMs === undefined ? {} : { time: new Date(NOW - agoMs).toISOString() }),
  ...(subresource && { subresource }),
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
});

async function writesOf(managed: Readonly<Record<string, object[]>>): Promise<string[]> {
  const objects = Object.entries(managed).map(([name, managedFields]) => ({ metadata: { name, managedFields } }));
  const target = { informer: { lister: { view: () => objects } } };
  const asked = { isIn: () => true, since: NOW - 5 * MINUTE, before: NOW, most: 10 };
  const writes = await latestWrites(target as never, asked, new AbortController().signal);
  return writes.map(({ key, by }) => `${key} ${by}`);
}

it('the last writes within the time are given, the latest first', async () => {
  const web = [entry('old', 60 * MINUTE), entry('deploy-bot', 2 * MINUTE)];
  expect(await writesOf({ web, api: [entry('kubectl-edit', MINUTE)] })).toEqual([
    'api kubectl-edit (Update)',
    'web deploy-bot (Update)',
  ]);
});

it('a write of which the server keeps no time, as to scale, is given with the others of its object', async () => {
  const scaled = entry('kubectl', undefined, 'scale');
  expect(
    await writesOf({ web: [scaled, entry('deploy-bot', 2 * MINUTE)], api: [entry('kubectl-edit', MINUTE)] }),
  ).toEqual(['api kubectl-edit (Update)', 'web kubectl (Update of scale)', 'web deploy-bot (Update)']);
  expect(await writesOf({ web: [scaled, entry('old', 60 * MINUTE)] })).toEqual([]);
});
