import { describe, expect, test } from 'vitest';
import { compileOutput } from '../../../src/output/compiled-output.ts';
import { parseOutputFormat } from '../../../src/output/formats.ts';
import { compileJq, jqAnswer } from '../../../src/output/jq/jq-expression.ts';
import { loadJqLibrary } from '../../../src/output/jq/jq-library.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { answer, clock, event, pod } from '../fixtures.ts';
import { printedBy } from './printed.ts';

const jqOf = async (expression: string) => compileJq(expression, await loadJqLibrary());
const printed = async (expression: string, options?: Parameters<typeof printedBy>[2]) =>
  printedBy(await jqOf(expression), two, options);
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
    expect(await printed(expression)).toBe(text);
  });

  test('gets what -o json prints of a whole answer, or the object asked for by name', async () => {
    const answered = async (expression: string, single: boolean, ...pods: ReturnType<typeof pod>[]) => {
      const { jq, createPrinter } = await compileOutput(parseOutputFormat(`jq=${expression}`));
      const json = [...createPrinter({ clock, single }).objects(answer(...pods))].join('');
      return jq && jqAnswer(jq, json, 'the List', { clock: new FakeClock() });
    };
    expect(await answered('.items | map(.metadata.name)', false, pod('a'), pod('b'))).toBe('["a","b"]\n');
    expect(await answered('.metadata.name', true, pod('a'))).toBe('"a"\n');
    await expect(answered('.items.a', false, pod('a'))).rejects.toThrow(
      expect.objectContaining({ code: 'argument', message: expect.stringContaining('jq: error on the List: ') }),
    );
  });

  test('results hold nothing that a terminal would obey, and are the data elsewhere', async () => {
    const expression = 'select(.type == "ADDED") | "\\u001b[31m \\u009b31m"';
    expect(await printed(expression, { terminal: true })).toBe('"\\u001b[31m \\u009b31m"\n');
    expect(await printed(expression)).toBe('"\\u001b[31m \x9b31m"\n');
  });

  test.each([
    ['.a[', 'error parsing jq expression ".a[": syntax error, unexpected end of file'],
    ['nope(1)', 'error parsing jq expression "nope(1)": nope/1 is not defined'],
    ['-h', 'error parsing jq expression "-h": h/0 is not defined'],
    ['.a) | (.b', 'error parsing jq expression ".a) | (.b": syntax error'],
  ])("is refused in jq's words before anything is watched: %s", async (expression, message) => {
    await expect(jqOf(expression)).rejects.toThrow(
      expect.objectContaining({ code: 'argument', message: expect.stringContaining(message) }),
    );
  });

  test.each([
    ['if .key == "shop/b" then error("boom") else .key end', 'jq: error on Pod shop/b: boom'],
    ['if .key == "shop/a" then error("boom") else .key end', 'jq: error on Pod shop/a: boom'],
    ['.key | keys', 'jq: error on Pod shop/a: string ("shop/a") has no keys'],
    ['error({a: 1})', 'jq: error on Pod shop/a: {"a":1}'],
    ['input', 'jq: error on Pod shop/a: '],
  ])('says which object an expression failed on, and goes on: %s', async (expression, message) => {
    expect(await printed(expression)).toContain(`[argument] ${message}`);
  });

  test('the records around one on which it fails are printed, in their order', async () => {
    const three = ['a', 'b', 'c'].map((name) => event('ADDED', pod(name)));
    const jq = await jqOf('if .key == "shop/b" then error("boom") else .key end');
    expect(await printedBy(jq, three)).toContain('"shop/a"\n"shop/c"\n');
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
    const jq = await compileJq('.key', counting);
    calls = 0;
    const many = Array.from({ length: 500 }, (_, i) => event('ADDED', pod(`web-${i}`)));
    expect((await printedBy(jq, many)).split('\n').slice(0, -1)).toEqual(
      many.map((each) => JSON.stringify(each.event.key)),
    );
    expect(calls).toBe(1);
  });

  test('without an expression is refused', () => {
    expect(() => parseOutputFormat('jq')).toThrow('jq format specified but no expression given');
  });
});
