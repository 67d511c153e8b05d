import { describe, expect, test } from 'vitest';
import { loadJqLibrary } from '../../../src/output/objects/jq-library.ts';
import { compileJq, JqPrinter } from '../../../src/output/objects/jq-printer.ts';
import { parseOutputFormat } from '../../../src/output/output-format.ts';
import { answer, clock, createPrinter, event, pod } from '../fixtures.ts';

const printer = (expression: string, options: object = {}) =>
  createPrinter(parseOutputFormat(`jq=${expression}`), { clock, ...options });
const two = [event('ADDED', pod('a')), event('MODIFIED', pod('b'))];

describe('jq', () => {
  test.each([
    ['[.type, .key]', '["ADDED","shop/a"]\n["MODIFIED","shop/b"]\n'],
    ['.key', '"shop/a"\n"shop/b"\n'],
    ['select(.type == "MODIFIED") | .object.metadata.name', '"b"\n'],
    ['.key, .type', '"shop/a"\n"ADDED"\n"shop/b"\n"MODIFIED"\n'],
    ['empty', ''],
    ['.object.nope?', 'null\nnull\n'],
    ['.type # the type', '"ADDED"\n"MODIFIED"\n'],
    ['def f: .key; f', '"shop/a"\n"shop/b"\n'],
    ['{"é": 1}', '{"é":1}\n{"é":1}\n'],
    ['[inputs] | length', '0\n0\n'],
    ['"kubectl-informer/jq-failed"', '"kubectl-informer/jq-failed"\n"kubectl-informer/jq-failed"\n'],
  ])('%s', async (expression, text) => {
    expect((await printer(expression)).events(two)).toBe(text);
  });

  test('gets what -o json prints of a whole answer, or the object asked for by name', async () => {
    expect([...(await printer('.items | map(.metadata.name)')).objects(answer(pod('a'), pod('b')))]).toEqual([
      '["a","b"]\n',
    ]);
    expect([...(await printer('.metadata.name', { single: true })).objects(answer(pod('a')))]).toEqual(['"a"\n']);
  });

  test('results hold nothing that a terminal would obey, and are the data elsewhere', async () => {
    const expression = '"\\u001b[31m \\u009b31m"';
    expect((await printer(expression, { terminal: true })).events(two.slice(0, 1))).toBe('"\\u001b[31m \\u009b31m"\n');
    expect((await printer(expression)).events(two.slice(0, 1))).toBe('"\\u001b[31m \x9b31m"\n');
  });

  test.each([
    ['.a[', 'error parsing jq expression ".a[": syntax error, unexpected end of file'],
    ['nope(1)', 'error parsing jq expression "nope(1)": nope/1 is not defined'],
    ['-h', 'error parsing jq expression "-h": h/0 is not defined'],
    ['.a) | (.b', 'error parsing jq expression ".a) | (.b": syntax error'],
  ])("is refused in jq's words before anything is watched: %s", async (expression, message) => {
    await expect(printer(expression)).rejects.toThrow(
      expect.objectContaining({ code: 'argument', message: expect.stringContaining(message) }),
    );
  });

  test.each([
    ['if .key == "shop/b" then error("boom") else .key end', 'jq: error on Pod shop/b: boom'],
    ['if .key == "shop/a" then error("boom") else .key end', 'jq: error on Pod shop/a: boom'],
    ['.key | keys', 'jq: error on Pod shop/a: string ("shop/a") has no keys'],
    ['error({a: 1})', 'jq: error on Pod shop/a: {"a":1}'],
    ['input', 'jq: error on Pod shop/a: '],
  ])('says which object an expression failed on: %s', async (expression, message) => {
    const failing = await printer(expression);
    expect(() => failing.events(two)).toThrow(
      expect.objectContaining({ code: 'argument', message: expect.stringContaining(message) }),
    );
  });

  test('leaves the exit code of the process alone', async () => {
    const before = process.exitCode;
    (await printer('.key')).events(two);
    expect(process.exitCode).toBe(before);
  });

  test('goes through the library once for many events, and in order', async () => {
    const library = await loadJqLibrary();
    let calls = 0;
    const counting = {
      run(...args: Parameters<typeof library.run>) {
        calls++;
        return library.run(...args);
      },
    };
    const jq = new JqPrinter(compileJq('.key', counting));
    calls = 0;
    const many = Array.from({ length: 500 }, (_, i) => event('ADDED', pod(`web-${i}`)));
    expect(jq.events(many).split('\n').slice(0, -1)).toEqual(many.map((each) => JSON.stringify(each.event.key)));
    expect(calls).toBe(1);
  });

  test('without an expression is refused', () => {
    expect(() => parseOutputFormat('jq')).toThrow('jq format specified but no expression given');
  });
});
