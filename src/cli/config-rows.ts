import { readCommandLine, withMore } from './args/argv.ts';
import { type ConfigFile, lookupIn, refuseUnknown } from './args/config-file.ts';
import { shapesOf } from './args/flag.ts';
import { viewText } from './args/views.ts';
import type { CommandClass } from './base-command.ts';

/** One setting, and where it comes from. */
export interface ConfigRow {
  /** Empty for what is no command's: names. */
  readonly command: string;
  readonly setting: string;
  readonly value: string;
  readonly origin: string;
}

/**
 * The settings of the commands without a command line: those of the environment, then of the file, then the built-in
 * ones (of these only switches). Throws `argument` for a flag in the file that no command has.
 */
export function settingsOf(
  commands: ReadonlyMap<string, CommandClass>,
  file: ConfigFile,
  env: NodeJS.ProcessEnv,
): ConfigRow[] {
  const all = [...commands.values()].flatMap((command) => Object.keys(command.flags));
  refuseUnknown(Object.keys(file.defaults), all, `${file.path}: defaults has`);
  refuseUnknown(Object.keys(file.commands), [...commands.keys()], `${file.path}: commands has`);
  const indexes = Object.entries(file.indexes).map(([name, value]) => ({
    command: '',
    setting: `index ${name}`,
    value,
    origin: file.path,
  }));
  const views = Object.entries(file.views).map(([name, view]) => {
    refuseUnknown(Object.keys(view.flags), all, `${file.path}: views.${name}.flags has`);
    return { command: '', setting: `view ${name}`, value: viewText(view), origin: file.path };
  });
  return [...indexes, ...views, ...[...commands].flatMap(([name, command]) => rowsOf(name, command, file, env))];
}

function rowsOf(name: string, { flags }: CommandClass, file: ConfigFile, env: NodeJS.ProcessEnv): ConfigRow[] {
  const shapes = shapesOf(flags);
  const known = shapes.map((shape) => shape.name);
  const { given } = withMore(readCommandLine([], shapes, env), shapes, 'file', lookupIn(file, name, known));
  return Object.entries(flags).flatMap(([setting, definition]) => {
    const said = given.get(setting);
    const { default: builtIn, isCredential } = definition;
    if (!said)
      return builtIn === undefined || builtIn === false
        ? []
        : [{ command: name, setting, value: String(builtIn), origin: 'built-in' }];
    const value = isCredential ? '(set)' : said.values.join(',');
    return [{ command: name, setting, value, origin: said.origin === 'file' ? file.path : said.origin }];
  });
}
