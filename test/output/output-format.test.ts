import { describe, expect, test } from 'vitest';
import { needsOf, parseOutputFormat, withFileText } from '../../src/output/output-format.ts';

describe('-o', () => {
  test.each([
    ['', { kind: 'table', wide: false }],
    ['wide', { kind: 'table', wide: true }],
    ['json', { kind: 'json' }],
    ['jsonpath={.a=b}', { kind: 'jsonpath', template: '{.a=b}' }],
    ['jsonpath-file=x', { kind: 'file', of: 'jsonpath', path: 'x' }],
    ['custom-columns-file=x=y', { kind: 'file', of: 'custom-columns', path: 'x=y' }],
  ])('%s', (text, expected) => {
    expect(parseOutputFormat(text)).toEqual(expected);
  });

  test.each([
    [
      'xyz',
      'unable to match a printer suitable for the output format "xyz", allowed formats are: changes,csv,custom-columns,',
    ],
    ['json=1', 'unable to match a printer suitable for the output format "json=1"'],
    ['jsonpath', 'template format specified but no template given'],
    ['go-template={{.x}}', 'output format "go-template" is not supported'],
    ['jsonpath-file', 'unable to match a printer suitable for the output format "jsonpath-file"'],
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

  test('a template from a file is a template', () => {
    expect(withFileText({ kind: 'file', of: 'jsonpath', path: 'x' }, '{.a}')).toEqual({
      kind: 'jsonpath',
      template: '{.a}',
    });
  });
});

describe('the needs of a format', () => {
  test.each([
    ['', { object: false, cells: true, old: false, managedFields: false, events: false }],
    ['wide', { object: false, cells: true, old: false, managedFields: false, events: false }],
    ['name', { object: false, cells: false, old: false, managedFields: false, events: false }],
    ['csv', { object: false, cells: true, old: false, managedFields: false, events: false }],
    ['csv=A:.b', { object: true, cells: false, old: false, managedFields: false, events: false }],
    ['ndjson', { object: true, cells: false, old: false, managedFields: false, events: false }],
    ['json', { object: true, cells: false, old: false, managedFields: false, events: false }],
    ['jq=.', { object: true, cells: false, old: false, managedFields: false, events: false }],
    ['diff', { object: true, cells: false, old: true, managedFields: true, events: true }],
    ['changes', { object: true, cells: false, old: true, managedFields: true, events: true }],
  ])('%s', (format, needs) => {
    expect(needsOf(parseOutputFormat(format))).toEqual(needs);
  });
});
