import { expect, it } from 'vitest';
import {
  endStateOf,
  OTHER_WRITER,
  stateDifferences,
  versionsOf,
  writesBetween,
} from '../../../src/cli/reconcile/test-state.ts';

let uids = 0;
/** An object as one server has it: uid, version and times are those of that server. */
function stored(name: string, fields: object = {}, metadata: object = {}) {
  const uid = `00000000-0000-4000-8000-${String(++uids).padStart(12, '0')}`;
  const creationTimestamp = new Date(uids * 1000).toISOString().replace('.000Z', 'Z');
  const own = { name, namespace: 'shop', uid, resourceVersion: String(uids), generation: uids, creationTimestamp };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...own, managedFields: [{ manager: `m${uids}` }], ...metadata },
    ...fields,
  };
}

it('two servers with the same objects have the same end: uids, versions, times, managers and other writers do not count', () => {
  const owner = () => [{ kind: 'Pod', name: 'p', uid: stored('x').metadata.uid }];
  const end = () =>
    endStateOf([
      stored('a', { data: { at: new Date(++uids * 1000).toISOString() } }),
      stored('b', {}, { ownerReferences: owner(), annotations: { [OTHER_WRITER]: String(++uids) } }),
      stored('c', {}, { annotations: { kept: '1', [OTHER_WRITER]: '2' } }),
    ]);
  expect(stateDifferences(end(), end())).toEqual([]);
});

it('names what is missing, what should not be there, and each field that differs', () => {
  const wanted = endStateOf([stored('a', { data: { v: '1' } }), stored('b')]);
  const seen = endStateOf([stored('a', { data: { v: '2' } }, { annotations: { x: 'y' } }), stored('c')]);
  expect(stateDifferences(wanted, seen)).toEqual([
    'ConfigMap shop/a: .metadata.annotations is {"x":"y"}, expected not there',
    'ConfigMap shop/a: .data.v is "2", expected "1"',
    'ConfigMap shop/b is missing',
    'ConfigMap shop/c is there, and should not be',
  ]);
});

it('compares objects with generated names by their number and their content', () => {
  const made = (n: number, v: string) => stored(`job-${n}xyz`, { data: { v } }, { generateName: 'job-' });
  const wanted = endStateOf([made(1, 'a'), made(2, 'a')]);
  expect(stateDifferences(wanted, endStateOf([made(3, 'a'), made(4, 'a')]))).toEqual([]);
  expect(stateDifferences(wanted, endStateOf([made(5, 'a')]))).toEqual(['ConfigMap shop/job-…#2 is missing']);
  expect(stateDifferences(wanted, endStateOf([made(5, 'a'), made(6, 'b')]))).toEqual([
    'ConfigMap shop/job-…#2: .data.v is "b", expected "a"',
  ]);
});

it('names what was created, changed and deleted between two moments, and nothing else', () => {
  const [kept, changed, gone] = [stored('kept'), stored('changed'), stored('gone')];
  const before = versionsOf([kept, changed, gone]);
  const after = versionsOf([kept, stored('changed'), stored('new')]);
  expect(writesBetween(before, after)).toEqual([
    'ConfigMap shop/changed was changed',
    'ConfigMap shop/gone was deleted',
    'ConfigMap shop/new was created',
  ]);
});
