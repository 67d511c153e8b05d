import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { ROOT } from './packed.ts';

const ON_PURPOSE =
  'Commands or flags changed. If that is meant, say it in CHANGELOG.md and run: npm run build && npx vitest run test/package -u';

/** A flag as a command of the built package defines it. */
interface BuiltFlag {
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly helpValue?: string;
  readonly default?: unknown;
  readonly multiple?: boolean;
  readonly split?: boolean;
  readonly implied?: string;
  readonly hidden?: boolean;
  readonly helpGroup?: string;
  readonly noEnv?: boolean;
  readonly yieldsTo?: string;
  readonly isCredential?: boolean;
}

interface BuiltCommand {
  readonly usage: string;
  readonly flags: Readonly<Record<string, BuiltFlag>>;
}

it('commands, their flags, values, defaults and groups change on purpose only', async () => {
  const file = pathToFileURL(path.join(ROOT, 'bin/commands.js')).href;
  const { COMMANDS } = (await import(file)) as { COMMANDS: Readonly<Record<string, BuiltCommand>> };
  const all = Object.entries(COMMANDS).map(([id, { flags }]) => [id.replaceAll(':', ' '), linesOf(flags)] as const);
  const connecting = all
    .map(([, lines]) => lines)
    .filter((lines) => lines.some((line) => line.startsWith('--context ')));
  const shared = connecting.reduce((common, lines) => common.filter((line) => lines.includes(line)));
  const own = all.map(
    ([name, lines]) =>
      [
        name,
        lines.filter((line) => !(lines.some((line) => line.startsWith('--context ')) && shared.includes(line))),
      ] as const,
  );
  const text = [['every command that connects', shared] as const, ...own]
    .map(([name, lines]) => [name, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n\n');
  expect(all.length).toBeGreaterThan(5);
  await expect(`${text}\n`, ON_PURPOSE).toMatchFileSnapshot('api/flags.txt');
});

it('docs/reference has a page for each command, with all of its flags that --help shows', async () => {
  const file = pathToFileURL(path.join(ROOT, 'bin/commands.js')).href;
  const { COMMANDS } = (await import(file)) as { COMMANDS: Readonly<Record<string, BuiltCommand>> };
  const pageOf = (name: string) => readFileSync(path.join(ROOT, `docs/reference/${name}.md`), 'utf8');
  const missing = Object.entries(COMMANDS).flatMap(([id, { flags }]) => {
    const text = pageOf(id.replaceAll(/[ :]/g, '-')) + pageOf('options');
    const shown = Object.entries(flags).filter(([, { hidden }]) => !hidden);
    return shown.filter(([flag]) => !new RegExp(`\`--${flag}[=[\`]`).test(text)).map(([flag]) => `${id} --${flag}`);
  });
  expect(missing).toEqual([]);
});

/**
 * One line a flag: `-o, --output FORMAT`, `--overflow block|coalesce|drop (default block)`,
 * `--on EVENT[,…] (may be repeated)`.
 */
function linesOf(flags: Readonly<Record<string, BuiltFlag>>): string[] {
  return Object.entries(flags)
    .map(([name, flag]) => `${flag.char ? `-${flag.char}, ` : ''}--${name}${valueText(flag)}${remarksOn(flag)}`)
    .sort((a, b) => (a.replace(/^-\w, /, '') < b.replace(/^-\w, /, '') ? -1 : 1));
}

function valueText({ type, helpValue, implied }: BuiltFlag): string {
  if (type === 'boolean') return '';
  return implied === undefined ? ` ${helpValue ?? 'VALUE'}` : `[=${helpValue ?? 'VALUE'}], without a value ${implied}`;
}

function remarksOn({ default: builtIn, multiple, split, hidden, ...flag }: BuiltFlag): string {
  const isSaid = builtIn !== undefined && builtIn !== false && typeof builtIn !== 'function';
  const remarks = [
    isSaid ? `default ${JSON.stringify(builtIn)}` : '',
    multiple ? 'may be repeated' : '',
    split ? 'split at commas' : '',
    flag.noEnv ? 'not from the environment' : '',
    flag.yieldsTo ? `yields to --${flag.yieldsTo}` : '',
    flag.isCredential ? 'never shown' : '',
    hidden ? 'hidden' : `group ${flag.helpGroup}`,
  ].filter(Boolean);
  return remarks.length > 0 ? ` (${remarks.join(', ')})` : '';
}
