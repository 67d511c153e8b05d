import { expect, test } from 'vitest';
import { csvRecord, tsvRecord } from '../../src/output/csv.ts';

test('a record ends with CRLF, and quotes what would end a cell', () => {
  expect(csvRecord(['a', '', 'b c'])).toBe('a,,b c\r\n');
  expect(csvRecord(['a,b', 'say "x"', 'one\r\ntwo'])).toBe('"a,b","say ""x""","one\r\ntwo"\r\n');
});

test('no cell is a formula; numbers and a sign alone stay as they are', () => {
  expect(csvRecord(['=1+1', '+x', '-x', '@x', '\tx'])).toBe("'=1+1,'+x,'-x,'@x,'\tx\r\n");
  expect(csvRecord(['-1', '-1.5e3', '-', '+', '1', '<none>'])).toBe('-1,-1.5e3,-,+,1,<none>\r\n');
});

test('a record of tsv is one line, and a tab in it is between two cells', () => {
  expect(tsvRecord(['a', '', 'b c,"d"'])).toBe('a\t\tb c,"d"\n');
  expect(tsvRecord(['a\tb', 'one\r\ntwo', 'C:\\n'])).toBe('a\\tb\tone\\r\\ntwo\tC:\\\\n\n');
  expect(tsvRecord(['=1+1', '-1', '\tx'])).toBe("'=1+1\t-1\t'\\tx\n");
  expect(tsvRecord(['\x1b[2J'], true)).toBe('^[[2J\n');
});

test('a terminal gets nothing that it obeys, a file every byte', () => {
  expect(csvRecord(['\x1b[2J'], true)).toBe('^[[2J\r\n');
  expect(csvRecord(['\x1b[2J'])).toBe('\x1b[2J\r\n');
});
