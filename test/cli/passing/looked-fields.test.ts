import { describe, expect, it } from 'vitest';
import { fieldsLookedAt } from '../../../src/cli/passing/looked-fields.ts';
import { loadCel } from '../../../src/expr/cel/load-cel.ts';
import { parseOutputFormat } from '../../../src/output/formats.ts';

const PODS = { gvr: { group: '', version: 'v1', resource: 'pods' } };
const SECRETS = { gvr: { group: '', version: 'v1', resource: 'secrets' } };

async function looked(output: string | undefined, filters: readonly string[] = [], showsLabels = false, type = PODS) {
  const { compileCel, OBJECT_VARIABLES } = await loadCel();
  const programs = filters.map((text) => compileCel(text, { flag: '--filter', wants: 'bool', variables: OBJECT_VARIABLES })); // biome-ignore format: short
  const format = output === undefined ? undefined : parseOutputFormat(output);
  const tree = await fieldsLookedAt({ type, format, filters: programs, wheres: [], showsLabels });
  const known = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];
  return (
    tree &&
    [...tree].map(([name, below]) => [
      name,
      below === true ? true : [...below.keys()].filter((key) => name !== 'metadata' || !known.includes(key)),
    ])
  );
}

describe('the fields that a command line looks at', () => {
  it.each<[string, string[], unknown]>([
    ['name', [], [['metadata', []]]],
    ['', [], [['metadata', []]]],
    [
      'name',
      ['object.status.phase == "Running"'],
      [
        ['metadata', []],
        ['status', ['phase']],
      ],
    ],
    ['name', ['object.metadata.labels.app == "a"'], [['metadata', ['labels']]]],
    [
      'jsonpath={.spec.nodeName}',
      [],
      [
        ['metadata', []],
        ['spec', ['nodeName']],
      ],
    ],
    ['custom-columns=A:.spec.a,B:.status', ['object.spec.b == 1'], [['metadata', []], ['spec', ['a', 'b']], ['status', true]]], // biome-ignore format: a row
    [
      'name',
      ['has(object.spec)', 'object.spec.x == 1'],
      [
        ['metadata', []],
        ['spec', true],
      ],
    ],
  ])('are these, beside what each object is known by: -o %s, %s', async (output, filters, expected) => {
    expect(await looked(output, filters)).toEqual(expected);
  });

  it('have the labels where rows show them', async () => {
    expect(await looked('', [], true)).toEqual([['metadata', ['labels']]]);
  });

  it.each([
    ['yaml', []],
    ['jsonpath={.}', []],
    ['jsonpath={..name}', []],
    ['custom-columns=A:.metadata.name,B:$.x', []],
    ['name', ['object == null']],
  ])('are all of the object where it is looked at as a whole: -o %s, %s', async (output, filters) => {
    expect(await looked(output, filters)).toBeUndefined();
  });

  it('are those of the filters alone where nothing is printed', async () => {
    expect(await looked(undefined, ['object.status.phase == "Running"'])).toEqual([
      ['metadata', []],
      ['status', ['phase']],
    ]);
  });

  it('are unknown for Secrets, whose values may be in any field', async () => {
    expect(await looked('name', [], false, SECRETS)).toBeUndefined();
  });
});
