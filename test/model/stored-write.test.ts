import { expect, it } from 'vitest';
import { guardClient } from '../../src/hooks/guarded-client.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import { noteWrite, observingWrites, type StoredWrite } from '../../src/model/stored-write.ts';
import { cluster, configMap } from '../support/hook-cluster.ts';

const gvr = parseGvr('v1/configmaps');

/** Starts to note writes, and returns what came so far. */
function observed<R>(work: (written: StoredWrite[]) => R): R {
  const written: StoredWrite[] = [];
  return observingWrites(
    () => ({ stored: (write) => void written.push(write) }),
    () => work(written),
  );
}

it('notes each write that the server stored, with its version, and no dry run', () =>
  observed(async (written) => {
    const { client, find } = await cluster();
    const resource = client.resource(gvr, { namespace: 'shop' });
    const at = (name: string) => {
      const { uid, resourceVersion } = find('v1/configmaps', `shop/${name}`)?.metadata ?? {};
      return { gvr, namespace: 'shop', key: `shop/${name}`, uid, resourceVersion };
    };
    const made = await resource.create({ ...configMap(''), metadata: { generateName: 'made-' } });
    expect(written).toMatchObject([{ ...at(made.metadata.name ?? ''), isOwnVersion: true }]);
    await resource.patch('a', { data: { x: '2' } }, { type: 'merge' });
    await resource.update({ ...(await resource.get('b')), data: { x: '3' } });
    expect(written.slice(1)).toMatchObject([
      { ...at('a'), isOwnVersion: undefined },
      { ...at('b'), isOwnVersion: true },
    ]);
    const { uid } = at('c');
    await resource.patch('c', { data: { x: '2' } }, { type: 'merge', dryRun: true });
    await resource.delete('c', { dryRun: true });
    await expect(resource.patch('none', {}, { type: 'merge' })).rejects.toThrow('not found');
    await resource.update(await resource.get('b'));
    expect(written.slice(3)).toMatchObject([{ ...at('b'), isOwnVersion: false }]);
    await resource.delete('c');
    expect(written.slice(4)).toMatchObject([{ key: 'shop/c', uid, resourceVersion: undefined, isGone: true }]);
    const { metadata } = await client.resource(gvr, { namespace: 'bank' }).get('c');
    await client.resource(gvr, { namespace: 'bank' }).deleteCollection({ all: true });
    const last = written.find(({ key }) => key === 'bank/c');
    if (last) expect(last).toMatchObject({ uid: metadata.uid, isGone: true });
  }));

it('knows whether a write made the version of its answer, or changed nothing after another writer', async () => {
  const { client, clock } = await cluster();
  const mine = guardClient(client, { mode: 'write' }).resource(gvr, { namespace: 'shop' });
  const others = client.resource(gvr, { namespace: 'shop' });
  await clock.advance(2000);
  await observed(async (written) => {
    await mine.patch('a', { data: { x: '2' } }, { type: 'merge' });
    await clock.advance(2000);
    const theirs = await others.patch('a', { data: { y: '1' } }, { type: 'merge', fieldManager: 'someone' });
    await clock.advance(2000);
    await mine.patch('a', { data: { x: '2' } }, { type: 'merge' });
    await mine.patch('a', { data: { x: '3' } }, { type: 'merge', fieldManager: 'my-manager' });
    expect(written.map(({ isOwnVersion }) => isOwnVersion)).toEqual([true, true, false, true]);
    expect(written[2]?.resourceVersion).toBe(theirs.metadata.resourceVersion);
  });
});

const request = {
  server: undefined,
  gvr,
  namespace: 'shop',
  method: 'PATCH',
  name: 'a',
  fieldManager: 'me',
  replaced: undefined,
};

function noted(answer: object, asked: Partial<typeof request> = {}): StoredWrite[] {
  return observed((written) => {
    noteWrite({ ...request, ...asked })?.answered(answer);
    return written;
  });
}

it.each([
  [
    [
      { manager: 'me', time: '2026-01-01T00:00:01Z' },
      { manager: 'x', time: '2026-01-01T00:00:01Z' },
    ],
    false,
  ],
  [
    [
      { manager: 'me', time: '2026-01-01T00:00:02Z' },
      { manager: 'x', time: '2026-01-01T00:00:01Z' },
    ],
    true,
  ],
  [[{ manager: 'x', time: '2026-01-01T00:00:02Z' }], false],
  [undefined, undefined],
])('with the managed fields %j its own version is %s', (managedFields, expected) => {
  const [write] = noted({ metadata: { name: 'a', resourceVersion: '5', managedFields } });
  expect(write?.isOwnVersion).toBe(expected);
});

const DELETED = { name: 'a', uid: 'u', resourceVersion: '5', deletionTimestamp: '2026-01-01T00:00:01Z' };

it.each([
  ['a Status', { kind: 'Status', details: { name: 'a', uid: 'u' } }, 'DELETE', true],
  ['its last state', { metadata: { name: 'a', uid: 'u', resourceVersion: '5' } }, 'DELETE', true],
  ['a state with a finalizer', { metadata: { ...DELETED, finalizers: ['a/b'] } }, 'DELETE', false],
  ['a state with a grace period', { metadata: { ...DELETED, deletionGracePeriodSeconds: 30 } }, 'DELETE', false],
  ['the state after its last finalizer', { metadata: DELETED }, 'PATCH', true],
])('%s in the answer to a write says whether the object is gone', (_, answer, method, isGone) => {
  expect(noted(answer, { method })).toMatchObject([{ key: 'shop/a', uid: 'u', isGone }]);
});

it('an answer without a version says nothing', () => {
  expect(noted({ kind: 'Status', status: 'Success' }, { method: 'POST' })).toEqual([]);
});

it('notes nothing outside of the observed work, and all that the work begins', async () => {
  const { client } = await cluster();
  const resource = client.resource(gvr, { namespace: 'shop' });
  await observed(async (written) => {
    const later = Promise.resolve().then(() => resource.patch('a', { data: { x: '2' } }, { type: 'merge' }));
    await later;
    expect(written).toHaveLength(1);
  });
  await resource.patch('a', { data: { x: '3' } }, { type: 'merge' });
});
