import { expect, it } from 'vitest';
import { NEVER_FROM_FILE } from '../../src/cli/args/config-file.ts';
import { REGISTRY } from '../../src/commands/registry.ts';

const commands = await Promise.all(
  Object.entries(REGISTRY).map(async ([name, load]) => ({ name, flags: (await load()).flags })),
);

it('every visible flag is in a group', () => {
  for (const { name, flags } of commands) {
    const visible = Object.entries(flags).filter(([, { hidden }]) => !hidden);
    expect([name, visible.filter(([, { helpGroup }]) => helpGroup === undefined).map(([flag]) => flag)]).toEqual([
      name,
      [],
    ]);
  }
});

it('what a file may never set is a flag of some command', () => {
  const known = new Set(commands.flatMap(({ flags }) => Object.keys(flags)));
  expect(NEVER_FROM_FILE.filter((name) => !known.has(name))).toEqual([]);
});
