import { parse } from '@oclif/core/parser';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { readCommandLine } from '../../../src/cli/args/argv.ts';
import {
  bool,
  camelCased,
  choice,
  count,
  duration,
  group,
  list,
  namesOf,
  shapesOf,
  text,
  tristate,
  valuesOf,
} from '../../../src/cli/args/flag.ts';

const flags = group('EXAMPLE', {
  live: bool({ summary: 'on or off' }),
  'insecure-tls': tristate({ summary: 'on, off or not given' }),
  output: text({ char: 'o', summary: 'one value' }),
  color: choice(['auto', 'never'], { summary: 'one of a few words', default: 'auto' }),
  filter: list({ summary: 'several values' }),
  namespace: list({ summary: 'several values, cut at commas', split: true }),
  timeout: duration({ summary: 'a time' }),
  limit: count({ summary: 'a number', min: 1 }),
  port: count({ summary: 'a number in a range', default: 8080, max: 65_535 }),
});

const valuesFor = (...argv: string[]) => valuesOf(flags, readCommandLine(argv, shapesOf(flags)).given);

describe('a definition gives', () => {
  it('the values of what is not given: the default, or nothing', () => {
    expect(valuesFor()).toEqual({ live: false, color: 'auto', port: 8080 });
  });

  it('the values of what is given, of their own types', () => {
    const values = valuesFor(
      '--live',
      '-o',
      'json',
      '--filter',
      'a,b',
      '--filter',
      'c',
      '--namespace',
      'a,b',
      '--timeout',
      '1m',
      '--limit=3',
    );
    expect(values).toMatchObject({
      live: true,
      output: 'json',
      filter: ['a,b', 'c'],
      namespace: ['a', 'b'],
      timeout: 60_000,
      limit: 3,
    });
    expectTypeOf(values.live).toEqualTypeOf<boolean>();
    expectTypeOf(values['insecure-tls']).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(values.color).toEqualTypeOf<'auto' | 'never'>();
    expectTypeOf(values.filter).toEqualTypeOf<string[] | undefined>();
    expectTypeOf(values.limit).toEqualTypeOf<number | undefined>();
    expectTypeOf(values.port).toEqualTypeOf<number>();
  });

  it.each([
    ['--color=blue', 'invalid argument "blue" for "--color": expected one of auto, never'],
    ['--timeout=soon', 'invalid argument "soon" for "--timeout": expected a duration'],
    ['--timeout=-5s', 'invalid argument "-5s" for "--timeout": expected a duration of at least 0s'],
    ['--limit=0', 'invalid argument "0" for "--limit": expected a whole number of at least 1'],
    ['--port=70000', 'invalid argument "70000" for "--port": expected a whole number from 0 to 65535'],
  ])('an error that names the flag and what was expected: %s', (arg, message) => {
    expect(() => valuesFor(arg)).toThrow(message);
  });

  it('its group, and its name as an option of the library', () => {
    expect(Object.values(flags).map(({ helpGroup }) => helpGroup)).toEqual(namesOf(flags).map(() => 'EXAMPLE'));
    const { insecureTls, output } = camelCased(flags, valuesFor('--insecure-tls=false', '-o', 'x'));
    expect({ insecureTls, output }).toEqual({ insecureTls: false, output: 'x' });
    expectTypeOf(insecureTls).toEqualTypeOf<boolean | undefined>();
  });
});

it('oclif’s own parser reads the same definitions', async () => {
  const argv = [
    '--live',
    '-o',
    'json',
    '--filter',
    'a',
    '--filter',
    'b',
    '--timeout',
    '1m',
    '--limit',
    '3',
    '--color',
    'never',
  ];
  const parsed = await parse(argv, { flags });
  expect(parsed.flags).toMatchObject({
    live: true,
    output: 'json',
    filter: ['a', 'b'],
    timeout: 60_000,
    limit: 3,
    color: 'never',
    port: 8080,
  });
  await expect(parse(['--limit', '0'], { flags })).rejects.toThrow(
    'for "--limit": expected a whole number of at least 1',
  );
});
