import { describe, expect, test } from 'vitest';
import { fileOf, parseOutputFormat } from '../../../src/output/formats.ts';
import { answer, clock, createPrinter, event, lines, pod } from '../fixtures.ts';

const printer = (format: string, options: object = {}) =>
  createPrinter(parseOutputFormat(format), { clock, ...options });

describe('custom-columns', () => {
  test('prints the headings of an empty answer, as kubectl does', async () => {
    expect([...(await printer('custom-columns=A:.a,B:.b')).objects([])].join('')).toBe('A     B\n');
    expect([...(await printer('custom-columns=A:.a', { noHeaders: true })).objects([])].join('')).toBe('');
  });

  const spec = 'custom-columns=NAME:.metadata.name,IMAGES:.spec.containers[*].image,Some:spec,NONE:.nope,NULL:.nul';

  test("prints cells as kubectl's does", async () => {
    const columns = await printer(spec);
    const odd = pod('a', '', { spec: { b: [1, 'x'], a: { c: true } }, nul: null });
    expect(lines(columns.objects(answer(odd, pod('longer-name'))))).toEqual([
      'NAME          IMAGES   Some                                                      NONE     NULL',
      'a             <none>   map[a:map[c:true] b:[1 x]]                                <none>   <nil>',
      'longer-name   app:1    map[containers:[map[image:app:1 name:app]] nodeName:n1]   <none>   <none>',
      '',
    ]);
  });

  test('prints one heading in a stream, and only the columns asked for', async () => {
    const columns = await printer('custom-columns=N:.metadata.name,I:{.spec.containers[0].image}');
    expect(columns.events([event('ADDED', pod('a'))])).toBe('N     I\na     app:1\n');
    expect(columns.events([event('DELETED', pod('b'))])).toBe('b     app:1\n');
    expect(
      (await printer('custom-columns=N:.metadata.name', { noHeaders: true })).events([event('ADDED', pod('a'))]),
    ).toBe('a\n');
  });

  test('keeps commas within brackets and quotes together', async () => {
    const columns = await printer(
      `custom-columns=A:.metadata['name','namespace'],B:.spec.containers[?(@.name=="a,b")].image`,
      {
        noHeaders: true,
      },
    );
    expect(columns.events([event('ADDED', pod('a'))])).toBe('a,shop   <none>\n');
  });

  test('shows line ends in a value, and neutralises it', async () => {
    const columns = await printer('custom-columns=T:.text', { noHeaders: true });
    expect(columns.events([event('ADDED', pod('a', '', { text: '\x1b[1mone\ntwo' }))])).toBe('^[[1mone\\ntwo\n');
  });

  test('reads a file of headings and paths', async () => {
    const { ofText } = fileOf('custom-columns-file=columns.txt') ?? {};
    const columns = await printer(`${ofText}NAME     NODE\n{metadata.name}   .spec.nodeName\n`);
    expect(columns.events([event('ADDED', pod('a'))])).toBe('NAME   NODE\na      n1\n');
  });

  test.each([
    ['custom-columns', 'custom-columns format specified but no custom columns given'],
    ['custom-columns=', 'custom-columns format specified but no custom columns given'],
    ['custom-columns=NAME', 'unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>'],
    ['custom-columns=A:.a,', 'unexpected custom-columns spec: , expected <header>:<json-path-expr>'],
    ['custom-columns=A:.a[', 'unterminated array at position 2'],
  ])("refuses in kubectl's words: %s", async (format, message) => {
    await expect(printer(format)).rejects.toThrow(message);
  });

  test.each([
    ['', 'invalid template, missing header line.'],
    ['A B', 'invalid template, missing spec line.'],
    ['A B\n.a', "number of headers (2) and field specifications (1) don't match"],
  ])('refuses a file that is not two lines of as many words: %j', async (text, message) => {
    await expect(printer(`custom-columns-text=${text}`)).rejects.toThrow(message);
  });
});
