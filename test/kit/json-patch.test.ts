import fc from 'fast-check';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { expect, it } from 'vitest';
import { patchBetween } from '../../src/kit/json-patch.ts';

it.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 2 }, [{ op: 'replace', path: '/a', value: 2 }]],
  [
    { a: 1 },
    { b: 1 },
    [
      { op: 'remove', path: '/a' },
      { op: 'add', path: '/b', value: 1 },
    ],
  ],
  [{ a: undefined }, {}, []],
  [{ 'a/b~c': 1 }, {}, [{ op: 'remove', path: '/a~1b~0c' }]],
  [
    [1, 2, 3],
    [1],
    [
      { op: 'remove', path: '/2' },
      { op: 'remove', path: '/1' },
    ],
  ],
  [
    [1],
    [2, 3],
    [
      { op: 'replace', path: '/0', value: 2 },
      { op: 'add', path: '/-', value: 3 },
    ],
  ],
  [{ a: 9007199254740993n }, { a: 9007199254740992n }, [{ op: 'replace', path: '/a', value: 9007199254740992n }]],
])('the steps from %o to %o', (before, after, steps) => {
  expect(patchBetween(before, after)).toEqual(steps);
});

it('makes the other value of any value', () => {
  const member = fc.dictionary(fc.constantFrom('a', 'b', 'a/b', '~'), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 });
  fc.assert(
    fc.property(member, member, (before, after) => {
      const start = JSON.parse(JSON.stringify(before)) as unknown;
      const wanted = JSON.parse(JSON.stringify(after)) as unknown;
      const steps = patchBetween(start, wanted) as Operation[];
      expect(jsonPatch.applyPatch(start, steps).newDocument).toEqual(wanted);
    }),
  );
});
