import { describe, expect, it } from 'vitest';
import { type FlagShape, readCommandLine, readUnfinishedLine, withMore } from '../../../src/cli/args/argv.ts';

const SHAPES: FlagShape[] = [
  { name: 'namespace', char: 'n', kind: 'value', repeatable: true, split: true },
  { name: 'all-namespaces', char: 'A', kind: 'boolean' },
  { name: 'output', char: 'o', kind: 'value' },
  { name: 'filter', kind: 'value', repeatable: true },
  { name: 'watch', char: 'w', kind: 'boolean' },
  { name: 'v', char: 'v', kind: 'value' },
  { name: 'color', kind: 'value', implied: 'always' },
  { name: 'allow-write', kind: 'boolean' },
];

/** What was read, as a line in one form: every flag as `--name=value`, then `--`, then the words. */
const normal = (line: string[], env = {}, shapes = SHAPES) => {
  const { given, words } = readCommandLine(line, shapes, env);
  return [...given].flatMap(([name, { values }]) => values.map((value) => `--${name}=${value}`)).concat('--', words);
};

describe('the flag grammar is kubectl’s', () => {
  it.each<[string, string[], string[]]>([
    ['words stay words', ['pods', 'web-1'], ['--', 'pods', 'web-1']],
    ['a value follows its flag', ['-n', 'shop', 'pods'], ['--namespace=shop', '--', 'pods']],
    [
      'a repeatable flag never takes a word',
      ['-n', 'a', '-n', 'b', 'pods'],
      ['--namespace=a', '--namespace=b', '--', 'pods'],
    ],
    [
      'blanks around the commas are no part of names',
      ['-n', ' a , b,', 'pods'],
      ['--namespace=a', '--namespace=b', '--', 'pods'],
    ],
    ['commas split names', ['--namespace=a,b', 'pods'], ['--namespace=a', '--namespace=b', '--', 'pods']],
    ['commas never split expressions', ['--filter', 'a,b'], ['--filter=a,b', '--']],
    ['a short flag takes the rest of its word', ['-nshop', '-ojson'], ['--namespace=shop', '--output=json', '--']],
    ['a short flag takes what is after =', ['-n=shop', '-o=json'], ['--namespace=shop', '--output=json', '--']],
    ['short booleans join', ['-Aw'], ['--all-namespaces=true', '--watch=true', '--']],
    [
      'a joined value flag ends the group',
      ['-Ao', 'json', 'pods'],
      ['--all-namespaces=true', '--output=json', '--', 'pods'],
    ],
    ['a boolean takes =false', ['--allow-write=false', 'x'], ['--allow-write=false', '--', 'x']],
    ['a boolean takes =T as Go does', ['--allow-write=T'], ['--allow-write=true', '--']],
    ['a short boolean takes =, and off', ['-A=false'], ['--all-namespaces=false', '--']],
    ['a boolean never takes a word', ['--allow-write', 'false'], ['--allow-write=true', '--', 'false']],
    ['the last of several wins', ['-o', 'json', '-o', 'yaml'], ['--output=yaml', '--']],
    ['the last boolean wins', ['--allow-write', '--allow-write=0'], ['--allow-write=false', '--']],
    ['flags come between words', ['pods', '-n', 'shop', 'web-1'], ['--namespace=shop', '--', 'pods', 'web-1']],
    ['after -- all are words', ['pods', '--', '-n', 'shop'], ['--', 'pods', '-n', 'shop']],
    ['a lone dash is a word', ['-', 'pods'], ['--', '-', 'pods']],
    ['an optional value comes only after =', ['--color', 'never'], ['--color=always', '--', 'never']],
    ['an optional value given', ['--color=never'], ['--color=never', '--']],
    ['a value may start with a dash', ['-n', '-A'], ['--namespace=-A', '--']],
    ['a value may hold =', ['--filter', 'a == b'], ['--filter=a == b', '--']],
    ['an empty value is a value', ['-o', ''], ['--output=', '--']],
    ['a number may be glued on', ['-v6'], ['--v=6', '--']],
  ])('%s', (_, line, expected) => {
    expect(normal(line)).toEqual(expected);
  });

  it.each<[string, string[], string]>([
    ['an unknown flag', ['--nope'], 'unknown flag: --nope'],
    ['an unknown short flag', ['-Ax'], "unknown shorthand flag: 'x' in -Ax"],
    ['a missing value', ['-n'], "flag needs an argument: 'n' in -n"],
    ['a missing long value', ['--output'], 'flag needs an argument: --output'],
    [
      'a word for a boolean',
      ['-A=maybe'],
      'invalid argument "maybe" for "-A, --all-namespaces" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    ['three dashes', ['---x'], 'bad flag syntax: ---x'],
  ])('refuses %s with kubectl’s words', (_, line, message) => {
    expect(() => normal(line)).toThrow(message);
  });

  it('offers the flag that was meant', () => {
    expect(() => normal(['--namespcae', 'x'])).toThrow(expect.objectContaining({ hint: 'did you mean --namespace?' }));
  });

  it('takes -h and --help for help wherever a flag may be, but not as a value', () => {
    expect(readCommandLine(['pods', '-h'], SHAPES).help).toBe(true);
    expect(readCommandLine(['--help'], SHAPES).help).toBe(true);
    expect(readCommandLine(['-n', '-h'], SHAPES).help).toBe(false);
    expect(readCommandLine(['--', '-h'], SHAPES).help).toBe(false);
  });

  it('takes from the environment what the line does not say', () => {
    const env = {
      KUBECTL_INFORMER_NAMESPACE: 'a,b',
      KUBECTL_INFORMER_ALLOW_WRITE: 'true',
      KUBECTL_INFORMER_OUTPUT: 'json',
    };
    expect(normal(['-o', 'yaml'], env)).toEqual([
      '--output=yaml',
      '--namespace=a',
      '--namespace=b',
      '--allow-write=true',
      '--',
    ]);
    expect(() => normal([], { KUBECTL_INFORMER_ALLOW_WRITE: 'perhaps' })).toThrow('KUBECTL_INFORMER_ALLOW_WRITE');
  });

  it('takes nothing from the environment that would be written to, or that a flag on the line outdoes', () => {
    const shapes: FlagShape[] = [
      { name: 'kubeconfig', kind: 'value', noEnv: true },
      { name: 'namespace', char: 'n', kind: 'value' },
      { name: 'all-namespaces', kind: 'boolean', yieldsTo: 'namespace' },
    ];
    const env = { KUBECTL_INFORMER_KUBECONFIG: '/home/me/config', KUBECTL_INFORMER_ALL_NAMESPACES: 'true' };
    expect(normal(['-n', 'shop'], env, shapes)).toEqual(['--namespace=shop', '--']);
    expect(normal([], env, shapes)).toEqual(['--all-namespaces=true', '--']);
  });

  it('takes from elsewhere what neither the line nor the environment has, and gives the origin of each value', () => {
    const values: Record<string, string[]> = { namespace: ['x', 'y'], output: ['wide'], color: ['never'] };
    const file = (flag: string) => values[flag] && { values: values[flag], label: `${flag} in c.yaml` };
    const line = readCommandLine(['-o', 'yaml'], SHAPES, { KUBECTL_INFORMER_COLOR: 'auto' });
    const { given } = withMore(line, SHAPES, 'file', file);
    expect(given.get('output')).toEqual({ values: ['yaml'], origin: 'flag' });
    expect(given.get('color')).toEqual({ values: ['auto'], origin: 'environment', label: 'KUBECTL_INFORMER_COLOR' });
    expect(given.get('namespace')).toEqual({ values: ['x', 'y'], origin: 'file', label: 'namespace in c.yaml' });
    const bad = (flag: string) => (flag === 'watch' ? { values: ['perhaps'], label: 'watch in c.yaml' } : undefined);
    expect(() => withMore(line, SHAPES, 'file', bad)).toThrow('invalid argument "perhaps" for "watch in c.yaml" flag');
  });
});

describe('a line that is still being typed', () => {
  it('says which flag waits for its value, and whether flags may follow', () => {
    expect(readUnfinishedLine(['pods', '-n'], SHAPES)).toMatchObject({
      awaited: { name: 'namespace' },
      isPastFlags: false,
    });
    expect(readUnfinishedLine(['pods', '-n', 'a'], SHAPES)).toMatchObject({ awaited: undefined });
    expect(readUnfinishedLine(['pods', '--', '-n'], SHAPES)).toMatchObject({ awaited: undefined, isPastFlags: true });
  });

  it('is read as far as it can be, with the environment', () => {
    const line = readUnfinishedLine(['pods', '--nosuch', '-Q', '-n', 'a', 'b'], SHAPES, {
      KUBECTL_INFORMER_NAMESPACE: 'c',
    });
    expect({ words: line.words, namespace: line.given.get('namespace')?.values }).toEqual({
      words: ['pods', 'b'],
      namespace: ['a'],
    });
  });
});
