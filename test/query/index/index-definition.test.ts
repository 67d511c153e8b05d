import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { indexTexts, parseIndex } from '../../../src/query/index/index-definition.ts';
import { pod } from '../../support/query.ts';

describe('a declared index', () => {
  test.each<[string, string[]]>([
    ['object.status.phase', ['p']],
    ['object["status"]["phase"]', ['p']],
    ['has(object.status.phase) ? "yes" : "no"', ['yes']],
    ['size(object.spec.containers)', ['2']],
    ['object.spec.containers.map(c, c.image)', ['a', 'b']],
    ['[object.status.phase, object.metadata.name, object.status.phase]', ['p', 'x']],
    ['object.status.restarts + 1', ['8']],
    ['object.?status.?nope', []],
    ['object.status.nope', []],
    ['object.status.nope.deeper', []],
    [
      'timestamp("2026-01-02T03:04:05Z") + duration(string(object.status.restarts - 7) + "s")',
      ['2026-01-02T03:04:05Z'],
    ],
    ['timestamp(object.metadata.labels.nope)', []],
    ["metadata.labels['x.y/z']", ['w']],
    ['.metadata.labels.x\\.y/z', ['w']],
  ])('reads CEL and JSONPath: %s', async (text, expected) => {
    const failures: unknown[] = [];
    const index = await parseIndex(`i=${text}`, (error) => failures.push(error));
    expect([index.valuesOf(pod('x', 'n', 'p', 7, ['a', 'b'])), failures]).toEqual([expected, []]);
  });

  test.each<[string, string[] | undefined]>([
    ['.spec.nodeName', ['spec', 'nodeName']],
    ['spec.nodeName', ['spec', 'nodeName']],
    ['{.spec.nodeName}', ['spec', 'nodeName']],
    ['object.spec.nodeName', ['spec', 'nodeName']],
    ['object.metadata.labels["a.b/c"]', ['metadata', 'labels', 'a.b/c']],
    [".metadata.labels['a.b/c']", ['metadata', 'labels', 'a.b/c']],
    ['.metadata.labels.a\\.b/c', ['metadata', 'labels', 'a.b/c']],
    ['object.spec.nodeName + "x"', undefined],
    ['.spec.containers[*].image', undefined],
    ['.spec.containers[0].image', undefined],
    ['..nodeName', undefined],
    ['{.spec.nodeName}{.spec.other}', undefined],
    ['{.spec.nodeName}-x', undefined],
    ['$.spec.nodeName', undefined],
  ])('knows whether it is one field, by which a server may select: %s', async (text, field) => {
    expect((await parseIndex(`i=${text}`)).field).toEqual(field);
  });

  test('has one key for one expression, whatever its name is', async () => {
    const [a, b] = [await parseIndex('a=.spec.nodeName'), await parseIndex('b=.spec.nodeName')];
    expect([a.key, b.key]).toEqual(['=.spec.nodeName', '=.spec.nodeName']);
  });

  test('has each value that its path finds, without repetitions', async () => {
    const index = await parseIndex('i=.spec.containers[*].image');
    expect(index.valuesOf(pod('x', 'n', 'p', 0, ['a', 'b', 'a']))).toEqual(['a', 'b']);
  });

  test.each([
    ['n=.status.restarts', ['7']],
    ['n=.nope', []],
    ['n=.spec.containers[9].image', []],
    ['n=$.spec.containers[?(@.image && @.image != "b")].image', ['a']],
    ['n={.metadata.labels}', ['{"app":"x","x.y/z":"w"}']],
  ])('%s', async (text, expected) => {
    expect((await parseIndex(text)).valuesOf(pod('x', 'n', 'p', 7, ['a']))).toEqual(expected);
  });

  test('leaves null out', async () => {
    expect((await parseIndex('n=.x')).valuesOf({ metadata: {}, x: null } as UnknownObject)).toEqual([]);
  });

  test.each([
    ['.spec.nodeName', 'invalid index ".spec.nodeName": expected NAME=JSONPATH'],
    ['=.spec', 'invalid index "=.spec": expected NAME=JSONPATH'],
    ['a b=.spec', 'invalid index "a b=.spec": expected NAME=JSONPATH'],
    ['n=', 'the JSONPath is empty'],
    ['n={.a', 'unclosed action at position 3'],
    ['n=size(status.phase)', '--index n: error parsing size(status.phase): unexpected ( at position 4'],
    ['n=!status.phase', 'unexpected ! at position 0'],
    ['n=spec.replicas+1', 'unexpected + at position 13'],
    ['n={.spec.replicas?}', 'unexpected ? at position 15'],
    ['n=b"abc"', 'unexpected " at position 1'],
    ['n=status.phase == "x"', "unrecognized character in action: U+003D '=' at position 13"],
    ['n=object.status.phase +', '--index n: the expression ends here at column 22'],
    ['n=pod.status.phase == object.status.phase', 'unknown variable "pod" at column 1'],
  ])('that cannot be parsed is refused: %s', async (text, message) => {
    await expect(parseIndex(text)).rejects.toThrow(message);
  });
});

test('reports each different failure of CEL once, and names the fields that it reads', async () => {
  const failures: string[] = [];
  const index = await parseIndex('n=object.status.restarts + "x"', ({ message }) => failures.push(message));
  const objects = [pod('a', 'n', 'p', 1), pod('b', 'n', 'p', 2)];
  expect(objects.map((object) => index.valuesOf(object))).toEqual([[], []]);
  expect(failures).toEqual([expect.stringContaining('--index n: cannot add int and string')]);
  expect(index).toMatchObject({
    name: 'n',
    from: 'object.status.restarts + "x"',
    stable: true,
    reads: [['status', 'restarts']],
  });
});

test('values become strings without repetitions; null and undefined are left out', () => {
  expect(indexTexts([1, '1', null, undefined, true, { b: 1, a: 2 }])).toEqual(['1', 'true', '{"a":2,"b":1}']);
  expect(indexTexts([null])).toEqual([]);
});
