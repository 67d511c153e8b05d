import { describe, expect, it, test } from 'vitest';
import { compileOutput } from '../../src/output/compiled-output.ts';
import { FORMATS, fileOf, mediaTypeOf, parseOutputFormat } from '../../src/output/formats.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { answer, clock, event, pod } from './fixtures.ts';

describe('-o', () => {
  test.each<[string, keyof typeof FORMATS, string]>([
    ['', 'table', ''],
    ['wide', 'wide', ''],
    ['json', 'json', ''],
    ['JSON', 'json', ''],
    ['Csv', 'csv', ''],
    ['jsonpath={.a=b}', 'jsonpath=', '{.a=b}'],
    ['jsonpath-file=x', 'jsonpath-file=', 'x'],
    ['custom-columns', 'custom-columns=', ''],
    ['custom-columns-file=x=y', 'custom-columns-file=', 'x=y'],
    ['csv=A:.b', 'csv=', 'A:.b'],
    ['jq=', 'jq=', ''],
  ])('%s', (text, name, value) => {
    expect(parseOutputFormat(text)).toEqual({ traits: FORMATS[name], value });
  });

  test.each([
    [
      'xyz',
      'unable to match a printer suitable for the output format "xyz", allowed formats are: changes,csv,custom-columns,',
    ],
    ['json=1', 'unable to match a printer suitable for the output format "json=1"'],
    ['jsonpath', 'template format specified but no template given'],
    ['go-template={{.x}}', 'output format "go-template" is not supported'],
    ['jsonpath-as-json', 'template format specified but no template given'],
    ['jq', 'jq format specified but no expression given'],
    ['jsonpath-file', 'unable to match a printer suitable for the output format "jsonpath-file"'],
    ['jsonpath-file=', 'unable to match a printer suitable for the output format "jsonpath-file="'],
    ['csv=', 'unable to match a printer suitable for the output format "csv="'],
    ['WIDE', 'unable to match a printer suitable for the output format "WIDE"'],
    ['custom-columns-text', 'unable to match a printer suitable for the output format "custom-columns-text"'],
  ])('%s is refused', (text, message) => {
    expect(() => parseOutputFormat(text)).toThrow(message);
  });

  test.each([
    'go-template',
    'go-template={{.x}}',
    'go-template-file=x',
    'template',
    'templatefile=x',
    'template={{.x}}',
  ])('%s is refused with a hint what to use instead', (text) => {
    expect(() => parseOutputFormat(text)).toThrow(
      expect.objectContaining({ hint: 'use -o jsonpath=… or -o custom-columns=…' }),
    );
  });

  test('a typing error is reported', () => {
    expect(() => parseOutputFormat('jsno')).toThrow(expect.objectContaining({ hint: 'did you mean -o json?' }));
  });

  test('table is no word: without -o it is one', () => {
    expect(() => parseOutputFormat('table')).toThrow(
      expect.objectContaining({ hint: 'without -o it is a table', message: expect.not.stringContaining('table,') }),
    );
  });

  test('the formats that an error names are those that a user can type, each once and in order', () => {
    expect(() => parseOutputFormat('xyz')).toThrow(
      'allowed formats are: changes,csv,custom-columns,custom-columns-file,diff,html,jq,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,ndjson,timeline,tsv,wide,yaml',
    );
  });

  test.each([
    ['jsonpath-file=x', { format: 'jsonpath-file', path: 'x', ofText: 'jsonpath=' }],
    ['custom-columns-file=x=y', { format: 'custom-columns-file', path: 'x=y', ofText: 'custom-columns-text=' }],
    ['jsonpath-file=', undefined],
    ['jsonpath={.a}', undefined],
    ['json', undefined],
    ['', undefined],
  ])('the file of %s', (text, expected) => {
    expect(fileOf(text)).toEqual(expected);
  });

  test.each([
    ['json', 'application/json'],
    ['ndjson', 'application/x-ndjson'],
    ['kyaml', 'application/yaml'],
    ['csv', 'text/csv; charset=utf-8'],
    ['csv=A:.b', 'text/csv; charset=utf-8'],
    ['tsv', 'text/tab-separated-values; charset=utf-8'],
    ['', 'text/plain; charset=utf-8'],
    ['jsonpath={.a}', 'text/plain; charset=utf-8'],
    ['xyz', 'text/plain; charset=utf-8'],
  ])('the media type of %s', (text, expected) => {
    expect(mediaTypeOf(text)).toBe(expected);
  });
});

describe('the needs of a format', () => {
  test.each([
    ['', { needsObject: false, columns: 'usual', needsOld: false, answers: true }],
    ['wide', { needsObject: false, columns: 'wide', needsOld: false, answers: true }],
    ['name', { needsObject: false, columns: 'none', needsOld: false, answers: true }],
    ['csv', { needsObject: false, columns: 'wide', needsOld: false, answers: true }],
    ['tsv', { needsObject: false, columns: 'wide', needsOld: false, answers: true }],
    ['csv=A:.b', { needsObject: true, columns: 'none', needsOld: false, answers: true }],
    ['ndjson', { needsObject: true, columns: 'none', needsOld: false, answers: true }],
    ['json', { needsObject: true, columns: 'none', needsOld: false, answers: true }],
    ['jq=.', { needsObject: true, columns: 'none', needsOld: false, answers: true }],
    ['diff', { needsObject: true, columns: 'none', needsOld: true, answers: false }],
    ['changes', { needsObject: true, columns: 'none', needsOld: true, answers: false }],
  ])('%s', (format, needs) => {
    expect(parseOutputFormat(format).traits).toMatchObject(needs);
  });
});

describe('compileOutput', () => {
  it.each([
    ['', 'NAME    READY   STATUS'],
    ['wide', 'NAME    READY   STATUS'],
    ['json', '{\n    "apiVersion": "v1"'],
    ['yaml', 'apiVersion: v1\nitems:\n'],
    ['kyaml', '---\n{\n  apiVersion: "v1",\n  items: [{\n'],
    ['jsonpath-as-json={.metadata.name}', '[\n    "'],
    ['name', 'pod/web-1\n'],
    ['jsonpath={.metadata.name}', 'web-1'],
    ['custom-columns=A:.metadata.name', 'A\nweb-1\n'],
  ])('creates the printer of -o %s', async (text, start) => {
    const output = await compileOutput(parseOutputFormat(text));
    const printed = [...output.createPrinter({ clock }).objects(answer(pod('web-1')))].join('');
    expect(printed.replace(/ +$/gm, '').slice(0, start.length)).toBe(start);
  });

  it('creates a printer of JSON for -o jq, and the expression that is applied to it', async () => {
    const { jq, createPrinter } = await compileOutput(parseOutputFormat('jq=.items[0].metadata.name'));
    const json = [...createPrinter({ clock }).objects(answer(pod('web-1')))].join('');
    expect(await jq?.results(json, { clock: new FakeClock() })).toBe('"web-1"');
  });

  it.each(['diff', 'changes'])('creates the printer of -o %s, which prints events', async (text) => {
    const output = await compileOutput(parseOutputFormat(text));
    expect(output.createPrinter({ clock }).events([event('ADDED', pod('web-1'))])).toContain('web-1');
  });

  it.each([
    ['jq=.[', /^error parsing jq expression/],
    ['jsonpath={.metadata', /unclosed action/],
    ['custom-columns=NAME', /^unexpected custom-columns spec: NAME/],
  ])('refuses the expression of -o %s before a printer is created', async (text, message) => {
    await expect(compileOutput(parseOutputFormat(text))).rejects.toThrow(message);
  });

  it('refuses a format whose file was not read', async () => {
    await expect(compileOutput(parseOutputFormat('jsonpath-file=names.txt'))).rejects.toThrow(
      'the file names.txt of -o jsonpath-file was not read',
    );
  });

  it('creates printers that do not share what they have printed: each prints its heading', async () => {
    const output = await compileOutput(parseOutputFormat('custom-columns=A:.metadata.name'));
    const print = () =>
      [...output.createPrinter({ clock }).objects(answer(pod('web-1')))].join('').split('\n')[0]?.trim();
    expect([print(), print()]).toEqual(['A', 'A']);
  });
});
