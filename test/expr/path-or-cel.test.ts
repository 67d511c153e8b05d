import { describe, expect, it } from 'vitest';
import { loadExpression } from '../../src/expr/path-or-cel.ts';
import { addressText } from '../../src/model/field-path.ts';

const object = {
  metadata: { name: 'web', labels: { app: 'shop' } },
  spec: { containers: [{ image: 'a' }, { image: 'b' }] },
  data: { text: 'x' },
};
const load = (text: string, onError?: (error: Error) => void) => loadExpression(text, { flag: '--index', onError });

describe('an expression finds values and names the fields that it reads', () => {
  it.each([
    ['.metadata.name', ['web'], ['.metadata.name']],
    ['metadata.name', ['web'], ['.metadata.name']],
    ['{.spec.containers[*].image}', ['a', 'b'], ['.spec.containers[*].image']],
    ['$.spec.containers[?(@.image == "a")].image', ['a'], []],
    ['.object.nope', [], ['.object.nope']],
    ['object.metadata.name', ['web'], ['.metadata.name']],
    ['object.spec.containers.map(c, c.image)', ['a', 'b'], ['.spec.containers', '.spec.containers[*].image']],
    ['object.nope', [], ['.nope']],
    ['object.metadata.labels', [{ app: 'shop' }], ['.metadata.labels']],
    ['[object.metadata.name, "x"]', ['web', 'x'], ['.metadata.name']],
    ['{"name": object.metadata.name}', [{ name: 'web' }], ['.metadata.name']],
    ['{.object.nope}', [], ['.object.nope']],
  ])('%s', async (text, values, reads) => {
    const expression = await load(text);
    expect(expression.text).toBe(text);
    expect(expression.values(object)).toEqual(values);
    expect(expression.reads.map(addressText)).toEqual(reads);
  });
});

it('CEL that fails on an object finds nothing there, and each different failure is reported once', async () => {
  const reported: string[] = [];
  const { values } = await load('object.data.text > 3 || object.metadata.name > 3', ({ message }) =>
    reported.push(message),
  );
  expect([values(object), values(object), values({ data: { text: 4 } })]).toEqual([[], [], [true]]);
  expect(values({ data: { text: 1 }, metadata: { name: 'x' } })).toEqual([]);
  expect(reported).toEqual([
    expect.stringContaining('--index: cannot compare string with int at column 1 of'),
    expect.stringContaining('--index: cannot compare string with int at column 25 of'),
  ]);
});

it.each([
  ['.spec[', '--index: error parsing jsonpath .spec['],
  ['object.spec ==', '--index: the expression ends here'],
  ['', '--index: the JSONPath is empty'],
])('%j is refused with the flag', async (text, message) => {
  await expect(load(text)).rejects.toMatchObject({ code: 'argument', message: expect.stringContaining(message) });
});
