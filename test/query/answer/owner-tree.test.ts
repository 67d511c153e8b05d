import { expect, test } from 'vitest';
import { ownerTrees, type TreeNode } from '../../../src/query/answer/owner-tree.ts';

const item = (name: string, ...owners: (string | [string])[]) => ({
  object: {
    metadata: {
      name,
      uid: `uid-${name}`,
      ownerReferences: owners.map((owner) => {
        const isController = Array.isArray(owner);
        const of = isController ? owner[0] : owner;
        return {
          apiVersion: 'v1',
          kind: 'Thing',
          name: of,
          uid: `uid-${of}`,
          ...(isController && { controller: true }),
        };
      }),
    },
  },
});
type Item = ReturnType<typeof item>;

/** `a*(b(c) d)`: a star for what was asked for. */
const textOf = ({ item: { object }, isAsked, children }: TreeNode<Item>): string =>
  `${object.metadata.name}${isAsked ? '*' : ''}${children.length > 0 ? `(${children.map(textOf).join(' ')})` : ''}`;
const treesOf = (asked: Item[], known: Item[]) => ownerTrees(asked, known).map(textOf);

const web = item('web');
const [old, now] = [item('old', ['web']), item('now', ['web'])];
const [one, two] = [item('one', ['now']), item('two', ['now'])];
const claim = item('claim', 'one');
const ALL = [web, old, now, one, two, claim];

test('below an object is all that it owns, at every level', () => {
  expect(treesOf([web], ALL)).toEqual(['web*(old now(one(claim) two))']);
});

test('above an object are its owners, without their other objects', () => {
  expect(treesOf([one], ALL)).toEqual(['web(now(one*(claim)))']);
  expect(treesOf([one, two], ALL)).toEqual(['web(now(one*(claim) two*))']);
  expect(treesOf([claim, item('x')], ALL)).toEqual(['web(now(one(claim*)))', 'x*']);
});

test('an object that is listed twice, or asked for with its owner, is there once', () => {
  expect(treesOf([web, now], [...ALL, item('one', ['now'])])).toEqual(['web*(old now*(one(claim) two))']);
});

test('of several owners it is below the one that controls it, otherwise below the first that is known', () => {
  const [a, b] = [item('a'), item('b')];
  expect(treesOf([a, b], [item('c', 'a', ['b']), item('d', 'gone', 'a', 'b')])).toEqual(['a*(d)', 'b*(c)']);
});

test('an owner that is not known is none, and a ring of owners ends', () => {
  expect(treesOf([item('x', 'gone')], [])).toEqual(['x*']);
  const ring = [item('r', 's'), item('s', 't'), item('t', 'r')];
  expect(treesOf([ring[0] as Item], ring)).toHaveLength(1);
});
