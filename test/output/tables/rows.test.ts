import { expect, it } from 'vitest';
import type { CreateRows } from '../../../src/output/format-traits.ts';
import { csvRows, jsonRows, ndjsonRows, tableRows, tsvRows, wideRows } from '../../../src/output/tables/rows.ts';

const NAMES = ['name', 'n'];
const ROWS = [
  ['a,b', 12345678901234567890n],
  ['c\u001b[31m', null],
];

function textOf(create: CreateRows, rows: readonly unknown[][] = ROWS, options = {}) {
  const text = create(NAMES, { noHeaders: false, terminal: false, ...options });
  return rows.map((row) => text.add(row)).join('') + text.end();
}

it('rows are lines of a table, with cells that are cut off and show no control sequence', () => {
  expect(textOf(tableRows)).toBe('NAME     N\na,b      12345678901234567890\nc^[[31m  \n');
  expect(textOf(tableRows, [['x'.repeat(200), 1n]]).split('\n')[1]).toBe(`${'x'.repeat(119)}…  1`);
  expect(textOf(wideRows, [['x'.repeat(200), 1n]]).split('\n')[1]).toBe(`${'x'.repeat(200)}  1`);
  expect(textOf(tableRows, [], { noHeaders: true })).toBe('');
});

it('a long table is printed before its end', () => {
  const text = tableRows(NAMES, { noHeaders: false, terminal: false });
  const pieces = Array.from({ length: 1_500 }, (_, i) => text.add([`row-${i}`, BigInt(i)]));
  expect(pieces.findIndex((piece) => piece !== '')).toBe(998); // with the heading 1,000
  expect(pieces.at(-1)).toBe('row-1499  1499\n');
  expect(text.end()).toBe('');
});

it('rows are CSV, with headings also where there is none', () => {
  expect(textOf(csvRows)).toBe('name,n\r\n"a,b",12345678901234567890\r\nc\u001b[31m,\r\n');
  expect(textOf(csvRows, [])).toBe('name,n\r\n');
  expect(textOf(csvRows, [], { noHeaders: true })).toBe('');
});

it('rows are tab-separated, with headings also where there is none', () => {
  expect(textOf(tsvRows)).toBe('name\tn\na,b\t12345678901234567890\nc\u001b[31m\t\n');
  expect(textOf(tsvRows, [['one\ntwo', 1.5]], { noHeaders: true })).toBe('one\\ntwo\t1.5\n');
  expect(textOf(tsvRows, [])).toBe('name\tn\n');
});

it('rows are JSON with exact numbers', () => {
  expect(textOf(ndjsonRows)).toBe('{"name":"a,b","n":12345678901234567890}\n{"name":"c\\u001b[31m","n":null}\n');
  expect(textOf(jsonRows)).toBe('[{"name":"a,b","n":12345678901234567890},\n{"name":"c\\u001b[31m","n":null}]\n');
  expect(textOf(jsonRows, [])).toBe('[]\n');
  const values = [1, 1.5, Number.POSITIVE_INFINITY, 1e300, new Uint8Array([0, 255]), undefined, { a: [1] }];
  expect(values.map((value) => textOf(ndjsonRows, [['v', value]]))).toEqual([
    '{"name":"v","n":1.0}\n',
    '{"name":"v","n":1.5}\n',
    '{"name":"v","n":9.0e+999}\n',
    '{"name":"v","n":1e+300}\n',
    '{"name":"v","n":"00ff"}\n',
    '{"name":"v"}\n',
    '{"name":"v","n":{"a":[1]}}\n',
  ]);
});
