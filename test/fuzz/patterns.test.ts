import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf } from '../architecture/imports.ts';
import { patternsOf, slowTexts } from './patterns.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');

/** Patterns that take quadratic time on a long text, with the reason why they never see one. */
const SHORT_TEXTS: Readonly<Record<string, readonly string[]>> = {
  'a time of at most 30 characters, made by Date': ['model/instant.ts /\\.?0*Z$/'],
  'an address that Node has checked: at most 45 characters': [
    'expr/cel/ip-address.ts /(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)$/',
  ],
  'a text that parseAge has read, in which each part has a unit': [
    'expr/cel/cel-values.ts /(\\d*)(?:\\.(\\d*))?([a-zµμ]+)/',
  ],
  'one line of a stack, at most 4,096 characters': ['kit/thrown-text.ts /([^\\s()]+:\\d+:\\d+)\\)?$/'],
  'JSON that this program has written: each string ends': [
    'output/jq/jq-library.ts /"(?:[^"\\\\]|\\\\.)*"|-?\\d[\\d.eE+-]*/',
  ],
  'at most 600 characters of an expression': [
    'expr/cel/cel-errors.ts /(\\d+(?:\\.\\d+)?(?:ms|[smhdy]))\\b/',
    'expr/cel/cel-errors.ts /[\\w.]*$/',
  ],
  'a name that the user gives to a hook': ['cli/reconcile/lease-plan.ts /-*\\.[-.]*/'],
  'a flag of a hook': [`cli/reconcile/key-map.ts /^\\s*\\$?\\{?\\s*\\.?\\[?['"]?(data|stringData)\\b/`],
  'a rule of a CRD in a sandbox of the user': [
    `sandbox/types/custom/validation-rules.ts /("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*')|\\.\\s*matches\\s*\\(/`,
  ],
  'at most 10,000 characters of such a rule': [
    `sandbox/types/custom/rule-definitions.ts /[[{,]\\s*\\?|(^|[^\\w)\\]}\\s])\\s*\\.\\s*\\w|[A-Za-z_]\\w*\\s*\\{/`,
    `sandbox/types/custom/rule-definitions.ts /r?("""(.*?)"""|'''(.*?)'''|"(\\\\.|[^"\\\\\\n])*"|'(\\\\.|[^'\\\\\\n])*')|\\/\\/[^\\n]*/`,
  ],
  'a table in the same file': [`sandbox/types/custom/rule-functions.ts /(?:(\\w+)\\.)?(\\w+)\\(([\\w,]*)\\) (\\w+)/`],
};
const excused = new Set(Object.values(SHORT_TEXTS).flat());

const all = filesOf(SRC).flatMap((file) =>
  patternsOf(path.join(SRC, file)).map((pattern) => ({ pattern, name: `${file} /${pattern.source}/` })),
);

describe('a pattern in the sources', () => {
  it('takes linear time on a long text of one repeated character or pair, or never sees a long text', () => {
    const slow = all
      .filter(({ name }) => !excused.has(name))
      .filter(({ pattern }) => slowTexts(pattern).length > 0)
      .map(({ name }) => name);
    expect(slow).toEqual([]);
  }, 120_000);

  it('has an excuse only where it still exists', () => {
    const names = new Set(all.map(({ name }) => name));
    expect([...excused].filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('the check itself', () => {
  it('finds quadratic time, and no linear pattern', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'patterns-'));
    const file = path.join(folder, 'a.ts');
    try {
      writeFileSync(file, 'export const a = /0+$/;\nexport const b = "/x/".replace(/^\\d+(?:\\.\\d*)?s$/u, "");\n');
      const [slow, fast] = patternsOf(file);
      expect([slow, fast]).toEqual([
        { line: 1, source: '0+$', flags: '' },
        { line: 2, source: '^\\d+(?:\\.\\d*)?s$', flags: 'u' },
      ]);
      expect(slow && slowTexts(slow)).toContain('0');
      expect(fast && slowTexts(fast)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
