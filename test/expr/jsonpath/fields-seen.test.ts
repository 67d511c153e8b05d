import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsSeenBy } from '../../../src/expr/jsonpath/fields-seen.ts';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { type Address, EACH } from '../../../src/model/field-path.ts';
import { type FieldTree, fieldTreeOf } from '../../../src/model/field-tree.ts';

describe('the fields that a JSONPath may look at', () => {
  it.each<[string, Address[] | undefined]>([
    ['{.metadata.name}', [['metadata', 'name']]],
    ['.metadata.name', [['metadata', 'name']]],
    [
      'a{.status.phase}b{.spec.nodeName}',
      [
        ['status', 'phase'],
        ['spec', 'nodeName'],
      ],
    ],
    ["{.metadata.annotations['a.b/c']}", [['metadata', 'annotations']]],
    [
      '{.status.conditions[?(@.type=="Ready")].status}',
      [
        ['status', 'conditions', EACH, 'type'],
        ['status', 'conditions', EACH, 'status'],
      ],
    ],
    [
      '.status.conditions[type=Ready].status',
      [
        ['status', 'conditions', EACH, 'type'],
        ['status', 'conditions', EACH, 'status'],
      ],
    ],
    [
      '{.spec.list[?(@)].a}',
      [
        ['spec', 'list', EACH],
        ['spec', 'list', EACH, 'a'],
      ],
    ],
    ['{.spec.containers[*].image}', [['spec', 'containers', EACH, 'image']]],
    ['{.spec.containers[0]}', [['spec', 'containers', EACH]]],
    ['{range .spec.containers[*]}{.image}{end}', [['spec', 'containers']]],
    ['{.}', undefined],
    ['{..name}', undefined],
    ['{.*.name}', undefined],
    ["{['metadata','status']}", undefined],
    ['{.items[*].metadata.name}', undefined],
    ['$.metadata.name', undefined],
    ['{"text"}', []],
  ])('%s', (text, expected) => {
    expect(fieldsSeenBy(text)).toEqual(expected);
  });

  it('are enough to print the same', () => {
    const path = fc.constantFrom(
      '{.metadata.name}',
      '{.spec.list[0].a}',
      '{.spec.list[?(@.a==1)].b}',
      '{range .spec.list[*]}{.a}-{.b}{end}',
      '{.spec.map.x}{.status}',
      "{.spec['map.x']}",
      '{.status.a.b.c}',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, fc.constantFrom(1, 'a', null, true), tie('list'), tie('map')),
      list: fc.array(tie('any'), { maxLength: 3 }),
      map: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x', 'map', 'list', 'name'), tie('any'), { maxKeys: 4 }),
    })).any;
    const object = fc.dictionary(fc.constantFrom('metadata', 'spec', 'status'), value, { maxKeys: 3 });
    fc.assert(
      fc.property(path, object, (text, whole) => {
        const tree = fieldTreeOf(fieldsSeenBy(text) ?? []) as FieldTree;
        const print = (of: unknown) => {
          try {
            return compileJsonPath(text).print(of);
          } catch (error) {
            return String(error);
          }
        };
        expect(print(partOf(whole, tree))).toBe(print(whole));
      }),
      { numRuns: 2000 },
    );
  });
});

/** The object with these fields alone. */
function partOf(value: unknown, tree: FieldTree): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).flatMap(([key, below]) => {
    const own = tree.get(key);
    return own === undefined ? [] : [[key, own === true ? below : partOf(below, own)]];
  });
  return Object.fromEntries(kept);
}
