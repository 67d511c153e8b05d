import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesOf } from './imports.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');

const codeOf = (file: string) =>
  readFileSync(path.join(SRC, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');

/** The files of src with such code, beside the registry of formats. */
const filesWith = (code: RegExp) =>
  filesOf(SRC).filter((file) => file !== 'output/formats.ts' && code.test(codeOf(file)));

it('the registry of output formats alone names a format: others read its traits', () => {
  // completion asks a running serve for lines
  expect(filesWith(/'(kyaml|ndjson|csv|custom-columns|jsonpath-as-json)[a-z-]*=?'/)).toEqual([
    'serve/client/serve-names.ts',
  ]);
  expect(filesWith(/\bcalled (===|!==)|switch \(.*\bcalled\)|\bFORMATS\b[^;]*output\/formats/)).toEqual([]);
});

it('-o is compared with a word only in commands that have formats of their own', () => {
  expect(filesWith(/\b(output|format)\)? (===|!==) '(json|yaml|name|wide|table|diff|changes|jq|text)'/)).toEqual([
    'cli/running/change-command.ts',
    'cli/serve/status-command.ts',
    'client/decode/table.ts', // the format of a column
    'commands/config-show.ts',
    'commands/crds-diff.ts',
    'commands/crds.ts',
    'commands/queue-list.ts',
    'commands/reconcile-explain.ts',
    'commands/reconcile-manifest.ts',
    'commands/reconcile-test.ts',
    'doctor/checks.ts',
    'output/tables/columns.ts', // the format of a column
    'stream/conditions/printed-cells.ts', // the format of a column
  ]);
});
