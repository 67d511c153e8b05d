import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectionFlags } from '../../src/cli/args/shared-flags.ts';
import { optionsAsFlags } from '../../src/cli/terminal/option-flags.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');
const ENTRIES = ['index.ts', 'cache.ts', 'hooks.ts', 'webhooks.ts', 'crds.ts', 'sandbox/index.ts', 'testing/index.ts'];

/** Texts that have the form of a flag, and why each may be in the library. */
const ALLOWED: readonly [file: string, text: RegExp, why: string][] = [
  ['client/http/limits.ts', /--max-old-space-size=8192/, 'a flag of Node, which the reader sets'],
  ['kit/memory-room.ts', /--(no-)?expose-gc/, 'a flag of V8 that is set here'],
  ['kit/young-generation.ts', /--semi-space-growth-factor=/, 'a flag of V8 that is set here'],
  [
    'expr/cel/cel-errors.ts',
    /--(name|filter|limit|where)/,
    'hints for a person who types the flag; the sandbox, which loads CEL for admission, shows none',
  ],
  [
    'stream/conditions/for-condition.ts',
    /--f(or|ield-selector)/,
    'only hasCondition of the library reads it, with a text that it has checked and that meets none of these errors',
  ],
];

const withoutComments = (file: string) =>
  readFileSync(path.join(SRC, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$|\s\/\/ .*$/gm, '');

/** The files whose code a file loads: an import of types alone loads nothing. */
function loadedBy(file: string): string[] {
  const source = withoutComments(file);
  const statements = source.matchAll(/^(?:import|export)\s+(?!type\b)(?:([^'";]*?)\bfrom\s+)?'(\.[^']+\.ts)'/gm);
  const isOfTypes = (names = '') => /^\{(\s*type\s[^,}]+,?)+\s*\}\s*$/.test(names);
  return [
    ...[...statements].filter(([, names]) => !isOfTypes(names)).map(([, , to]) => to as string),
    ...[...source.matchAll(/\bimport\(\s*'(\.[^']+\.ts)'/g)].map(([, to]) => to as string),
  ]
    .map((to) => path.posix.join(path.posix.dirname(file), to))
    .filter((to) => existsSync(path.join(SRC, to)));
}

function library(): string[] {
  const files = new Set(ENTRIES);
  for (const file of files) for (const to of loadedBy(file)) files.add(to);
  return [...files];
}

/** Lines that name a flag in a text. `--count` of code is followed by a name too, but is in no quotes. */
const flagsIn = (file: string) =>
  withoutComments(file)
    .split('\n')
    .filter((line) => /(['"`])(?:(?!\1).)*(?<![\w-])--[a-z]/.test(line));

describe('a file that the library loads', () => {
  it('names no flag of the program in a text, but those with a reason', () => {
    const found = library().flatMap((file) => flagsIn(file).map((line) => [file, line.trim()] as const));
    const isAllowed = ([file, line]: readonly [string, string]) =>
      ALLOWED.some(([place, text]) => place === file && text.test(line));
    expect(found.filter((each) => !isAllowed(each))).toEqual([]);
    const unused = ALLOWED.filter(([place, text]) => !found.some(([file, line]) => place === file && text.test(line)));
    expect(unused).toEqual([]);
  });

  it('names an option in backticks in a hint of the client, which the program shows as its flag', () => {
    const files = library().filter((file) => file.startsWith('client/'));
    const named = files.flatMap((file) => [
      ...withoutComments(file).matchAll(/\\?`([a-zA-Z]+|kubectl-informer\/sandbox)\\?`/g),
    ]);
    const options = [...new Set(named.map(([, option]) => option as string))];
    const flags = options.map((option) => optionsAsFlags(`\`${option}\``).replace(/^--/, ''));
    expect(options.length).toBeGreaterThan(10);
    expect(flags.filter((flag) => !Object.hasOwn(connectionFlags, flag))).toEqual([]);
  });
});
