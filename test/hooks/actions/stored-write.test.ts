import { expect, it } from 'vitest';
import { type StoredWrite, storedWrite } from '../../../src/hooks/actions/stored-write.ts';
import { guardClient } from '../../../src/hooks/guarded-client.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import { cluster } from '../../support/hook-cluster.ts';

const gvr = parseGvr('v1/configmaps');

it('knows whether a write made the version of its answer, or changed nothing after another writer', async () => {
  const { client, clock } = await cluster();
  const written: StoredWrite[] = [];
  const hook = guardClient(client, { mode: 'write', onWrite: (write) => written.push(write) });
  const mine = hook.resource(gvr, { namespace: 'shop' });
  const others = client.resource(gvr, { namespace: 'shop' });
  await clock.advance(2000);
  await mine.patch('a', { data: { x: '2' } }, { type: 'merge' });
  await clock.advance(2000);
  const theirs = await others.patch('a', { data: { y: '1' } }, { type: 'merge', fieldManager: 'someone' });
  await clock.advance(2000);
  await mine.patch('a', { data: { x: '2' } }, { type: 'merge' });
  await mine.patch('a', { data: { x: '3' } }, { type: 'merge', fieldManager: 'my-manager' });
  expect(written.map(({ isOwnVersion }) => isOwnVersion)).toEqual([true, false, true]);
  expect(written[1]?.resourceVersion).toBe(theirs.metadata.resourceVersion);
});

it.each([
  [
    [
      { manager: 'kubectl-informer', time: '2026-01-01T00:00:01Z' },
      { manager: 'x', time: '2026-01-01T00:00:01Z' },
    ],
    false,
  ],
  [
    [
      { manager: 'kubectl-informer', time: '2026-01-01T00:00:02Z' },
      { manager: 'x', time: '2026-01-01T00:00:01Z' },
    ],
    true,
  ],
  [[{ manager: 'x', time: '2026-01-01T00:00:02Z' }], false],
  [undefined, true],
])('with the managed fields %j its own version is %s', (managedFields, expected) => {
  const answer = { metadata: { name: 'a', resourceVersion: '5', managedFields } };
  expect(storedWrite(gvr, { namespace: 'shop', name: 'a' }, answer).isOwnVersion).toBe(expected);
});
