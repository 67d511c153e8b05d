import { describe, expect, it } from 'vitest';
import { connectionFlags } from '../../src/cli/args/shared-flags.ts';
import { commandHelp, optionsHelp, programHelp } from '../../src/cli/help-page.ts';
import { REGISTRY } from '../../src/commands/registry.ts';

const commands = await Promise.all(Object.entries(REGISTRY).map(async ([name, load]) => [name, await load()] as const));
const connecting = commands.filter(([, { flags }]) => 'context' in flags);
const longestOf = (text: string) => Math.max(...text.split('\n').map((line) => [...line].length));

describe('the help of a command', () => {
  const helpOf = (name: string, columns = 110) => {
    const command = commands.find(([each]) => each === name)?.[1];
    return command ? commandHelp(command, { bin: 'kubectl informer', columns }) : '';
  };

  it('has its own flags in groups, its examples before them, and the flags of the connection nowhere', () => {
    const text = helpOf('watch');
    const headings = [...text.matchAll(/^[A-Z]+[A-Z ]*$/gm)].map(([heading]) => heading);
    expect(headings).toEqual([
      'USAGE',
      'EXAMPLES',
      'SELECTION FLAGS',
      'FILTER FLAGS',
      'END CONDITIONS',
      'OUTPUT FLAGS',
      'CONTINUITY FLAGS',
      'STORY FLAGS',
      'RECORDING FLAGS',
      'CLUSTER FLAGS',
      'GENERAL FLAGS',
    ]);
    for (const [name] of connecting) {
      const shown = Object.keys(connectionFlags).filter((flag) =>
        new RegExp(`^ +(-\\w, )?--${flag}(?![\\w-])`, 'm').test(helpOf(name)),
      );
      expect([name, shown]).toEqual([name, []]);
    }
  });

  it('ends with where the others are, on commands that have them', () => {
    const last = "Use 'kubectl informer options' for the flags that all commands share.\n";
    expect(connecting.map(([name]) => name)).toEqual([
      'watch',
      'query',
      'serve',
      'serve status',
      'serve stop',
      'history',
      'mcp',
      'reconcile',
      'reconcile explain',
      'reconcile rbac',
      'reconcile manifest',
      'queue list',
      'queue retry',
      'queue drop',
      'crds diff',
      'types',
      'doctor',
    ]);
    for (const [name] of connecting) expect(helpOf(name).endsWith(last)).toBe(true);
    const others = commands.map(([name]) => name).filter((name) => !connecting.some(([each]) => each === name));
    expect(others.length).toBeGreaterThan(5);
    for (const name of others) expect([name, helpOf(name).includes(last)]).toEqual([name, false]);
    expect(helpOf('sandbox')).toContain('  -q, --quiet ');
  });

  it('shows no flag that is hidden, and each that is not once', () => {
    for (const [name, { flags }] of commands) {
      const text = `${helpOf(name)}${optionsHelp({ bin: 'kubectl informer' })}`;
      for (const [flag, { hidden }] of Object.entries(flags)) {
        const lines = text.match(new RegExp(`^ {2}(-\\w, | {4})--${flag}(=|\\[=|$| )`, 'gm')) ?? [];
        if (name !== 'sandbox' && name !== 'config show')
          expect([name, flag, lines.length]).toEqual([name, flag, hidden ? 0 : 1]);
      }
    }
  });

  it('says which value holds by default, and what may be repeated', () => {
    expect(helpOf('watch')).toMatch(/--color=auto\|always\|never +when to use colour \(default: auto\)\n/);
    expect(helpOf('query')).toMatch(/--eq=NAME=VALUE .*\(repeatable\)\n/);
  });
});

it('what is not a terminal, such as a pager, gets 80 columns', () => {
  expect(optionsHelp({ bin: 'kubectl informer' })).toBe(optionsHelp({ bin: 'kubectl informer', columns: 80 }));
});

describe.each([60, 80, 110, 200])('in a terminal of %i columns', (columns) => {
  it('no text but a command to be typed is wider, nor wider than 110', async () => {
    const options = { bin: 'kubectl informer', columns };
    const texts = [
      await programHelp(REGISTRY, options),
      optionsHelp(options),
      ...commands.map(([, command]) => commandHelp(command, options)),
    ];
    const prose = texts.map((text) => text.replaceAll(/^ +\$ .*$/gm, ''));
    expect(prose.map(longestOf).filter((length) => length > Math.min(columns, 110))).toEqual([]);
  });
});

it('the program’s own help names every command in the order of the registry, three examples, and where to go next', async () => {
  const text = await programHelp(REGISTRY, { bin: 'kubectl informer' });
  const single = [...text.matchAll(/^ {2}([a-z]+) {2,}[A-Z]/gm)].map(([, name = '']) => name);
  expect(single).toEqual(Object.keys(REGISTRY).filter((name) => !name.includes(' ')));
  const last = /^COMMANDS\n(?: {2}.*\n)*? {2}([a-z]+ [a-z]+[|,](?:.|\n {2})*)\n\n/m.exec(text)?.[1] ?? '';
  const grouped = last
    .replaceAll(/\s+/g, ' ')
    .split(', ')
    .flatMap((group) => {
      const [word, names = ''] = group.split(' ');
      return names.split('|').map((name) => `${word} ${name}`);
    });
  expect(grouped.toSorted()).toEqual(
    Object.keys(REGISTRY)
      .filter((name) => name.includes(' '))
      .toSorted(),
  );
  expect(text.match(/^ {4}\$ kubectl informer /gm)).toHaveLength(3);
  expect(text).toContain('kubectl informer COMMAND --help');
  expect(text).toContain('kubectl informer options');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(38);
});
