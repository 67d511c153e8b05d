import { expect, it } from 'vitest';
import { NEVER_FROM_FILE } from '../../src/cli/config-file.ts';
import type { Flag } from '../../src/cli/flag.ts';
import { REGISTRY } from '../../src/commands/registry.ts';

const commands = await Promise.all(Object.entries(REGISTRY).map(async ([name, load]) => ({ name, flags: (await load()).flags })));

function lineOf(name: string, flag: Flag<unknown>): string {
  const { char, type, helpGroup = '-', hidden, noEnv, split, yieldsTo, isCredential } = flag;
  const value =
    flag.type === 'option' ? `${flag.helpValue ?? 'TEXT'}${flag.multiple ? ', many' : ''}${split ? ', split at commas' : ''}` : '';
  const implied = flag.implied === undefined ? '' : `, implied ${flag.implied}`;
  const marks = { hidden, 'not from the environment': noEnv, [`yields to --${yieldsTo}`]: yieldsTo, credential: isCredential };
  return [
    `  ${char ? `-${char} ` : ''}--${name}`,
    type === 'option' ? `${value}${implied}` : flag.type === 'boolean' && flag.allowNo ? 'on, off or neither' : 'on or off',
    `default ${flag.default === undefined ? 'none' : JSON.stringify(flag.default)}`,
    helpGroup,
    ...Object.keys(marks).filter((mark) => marks[mark as keyof typeof marks]),
  ].join(' | ');
}

/** A change of a command or a flag changes what people and their scripts rely on. One that is meant updates the file: `vitest run -u`. */
it('the commands and their flags are those of commands.snapshot.txt', async () => {
  const text = commands.map(({ name, flags }) =>
    [name, ...Object.entries(flags).map(([flag, definition]) => lineOf(flag, definition))].join('\n'),
  );
  await expect(`${text.join('\n\n')}\n`).toMatchFileSnapshot('commands.snapshot.txt');
});

it('every visible flag is in a group', () => {
  for (const { name, flags } of commands) {
    const visible = Object.entries(flags).filter(([, { hidden }]) => !hidden);
    expect([name, visible.filter(([, { helpGroup }]) => helpGroup === undefined).map(([flag]) => flag)]).toEqual([name, []]);
  }
});

it('what a file may never set is a flag of some command', () => {
  const known = new Set(commands.flatMap(({ flags }) => Object.keys(flags)));
  expect(NEVER_FROM_FILE.filter((name) => !known.has(name))).toEqual([]);
});
