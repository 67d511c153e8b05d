import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { InformerError, messageOf } from '../../kit/error.ts';
import { isJsonMap } from '../../kit/exact-json.ts';
import { nearest } from '../../kit/nearest.ts';
import { yamlFault } from '../../kit/secret-free-text.ts';
import type { Elsewhere } from './argv.ts';

/** The user's own defaults and names, as their file says them. */
export interface ConfigFile {
  readonly path: string;
  /** True if the file exists. */
  readonly isThere: boolean;
  /** Flags of every command that has them, by name. */
  readonly defaults: FlagTexts;
  /** Flags of one command; they go before `defaults`. */
  readonly commands: Readonly<Record<string, FlagTexts>>;
  /** Index declarations by name: JSONPath. */
  readonly indexes: Readonly<Record<string, string>>;
  /** Saved queries by name. */
  readonly views: Readonly<Record<string, View>>;
}

/** A saved query. */
export interface View {
  /** The types, and names, as they would be typed. */
  readonly words: readonly string[];
  readonly flags: FlagTexts;
}

/** The config of a command that reads no file. */
export const NO_CONFIG: ConfigFile = { path: '', isThere: false, defaults: {}, commands: {}, indexes: {}, views: {} };

/** The values of flags, as they would be typed. */
export type FlagTexts = Readonly<Record<string, readonly string[]>>;

/**
 * Said each time or not at all: credentials do not belong into this file, and nothing should write or show secrets by
 * default.
 */
export const NEVER_FROM_FILE = ['token', 'password', 'allow-write', 'pass-credentials', 'show-secrets', 'config'];

const PARTS = ['defaults', 'commands', 'indexes', 'views'];

/**
 * Where the file is looked for unless `--config` names one: `kubectl-informer/config.yaml` in the user's config folder.
 */
export function configPath({ XDG_CONFIG_HOME, APPDATA, HOME }: NodeJS.ProcessEnv): string | undefined {
  const base = XDG_CONFIG_HOME || APPDATA || (HOME && path.join(HOME, '.config'));
  return base ? path.join(base, 'kubectl-informer', 'config.yaml') : undefined;
}

/**
 * Reads `named`, which must be there, or else the user's own file, which need not. Throws `argument` for what it should
 * not hold.
 */
export async function readConfigFile(named: string | undefined, env: NodeJS.ProcessEnv): Promise<ConfigFile> {
  const file = named ?? configPath(env);
  const text = file === undefined ? undefined : await textOf(file, named !== undefined);
  const nothing = { ...NO_CONFIG, path: file ?? '', isThere: text !== undefined };
  if (file === undefined || text === undefined) return nothing;
  const content = mapOf(await parse(text, file), file, 'the file');
  refuseUnknown(Object.keys(content), PARTS, `${file}: it has`);
  const commands = Object.entries(mapOf(content.commands ?? {}, file, 'commands'));
  const indexes = Object.entries(mapOf(content.indexes ?? {}, file, 'indexes'));
  const views = Object.entries(mapOf(content.views ?? {}, file, 'views'));
  return {
    ...nothing,
    views: Object.fromEntries(views.map(([name, value]) => [name, viewIn(value, file, name)])),
    defaults: flagTexts(content.defaults ?? {}, file, 'defaults'),
    commands: Object.fromEntries(commands.map(([name, flags]) => [name, flagTexts(flags, file, `commands.${name}`)])),
    indexes: Object.fromEntries(indexes.map(([name, value]) => [name, plainText(value, file, `indexes.${name}`)])),
  };
}

/** Commands that are about the command line of another one, whose settings they have too. */
const ABOUT: Readonly<Record<string, string>> = { 'reconcile manifest': 'reconcile', 'reconcile rbac': 'reconcile' };

/**
 * Looks a command's flags up in the file. Throws `argument` for one that the file gives to this command and it does not
 * have.
 */
export function lookupIn(
  file: ConfigFile,
  command: string,
  known: readonly string[],
): (flag: string) => Elsewhere | undefined {
  const own = file.commands[command] ?? {};
  refuseUnknown(Object.keys(own), known, `${file.path}: commands.${command} has`);
  return (flag) => {
    for (const name of [command, ABOUT[command] ?? command]) {
      const values = file.commands[name]?.[flag];
      if (values) return { values, label: `commands.${name}.${flag} in ${file.path}` };
    }
    const shared = file.defaults[flag];
    return shared && { values: shared, label: `defaults.${flag} in ${file.path}` };
  };
}

/** Throws `argument` for a word that nothing knows, with the one that was meant. */
export function refuseUnknown(words: readonly string[], known: readonly string[], where: string): void {
  const stray = words.find((word) => !known.includes(word));
  if (stray === undefined) return;
  const [close] = nearest(stray, known);
  throw new InformerError('argument', `${where} ${JSON.stringify(stray)}, which is unknown`, {
    hint: close ? `did you mean ${close}?` : `known are ${known.join(', ')}`,
  });
}

async function textOf(file: string, isNamed: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (!isNamed && (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES')) return undefined;
    throw new InformerError('argument', `cannot read the config file ${file}: ${messageOf(cause)}`, { cause });
  }
}

async function parse(text: string, file: string): Promise<unknown> {
  const { loadAll } = await import('js-yaml');
  try {
    return loadAll(text)[0] ?? {};
  } catch (cause) {
    // no cause: it shows the lines around
    throw new InformerError('argument', `the config file ${file} is no YAML: ${yamlFault(cause)}`);
  }
}

function flagTexts(value: unknown, file: string, where: string): FlagTexts {
  const flags = Object.entries(mapOf(value, file, where));
  const forbidden = flags.find(([name]) => NEVER_FROM_FILE.includes(name));
  if (forbidden) {
    throw new InformerError('argument', `${file}: ${where}.${forbidden[0]} cannot be set by a file`, {
      hint: 'say it on the command line or in the environment, each time',
    });
  }
  return Object.fromEntries(
    flags.map(([name, given]) => [
      name,
      (Array.isArray(given) ? given : [given]).map((each) => plainText(each, file, `${where}.${name}`)),
    ]),
  );
}

function viewIn(value: unknown, file: string, name: string): View {
  const where = `views.${name}`;
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name))
    throw new InformerError('argument', `${file}: views has ${JSON.stringify(name)}, which cannot be typed as a name`, {
      hint: 'a name is letters, digits, -, _ and .',
    });
  const { words: given, flags = {}, ...rest } = mapOf(value, file, where);
  refuseUnknown(Object.keys(rest), ['words', 'flags'], `${file}: ${where} has`);
  const words = Array.isArray(given)
    ? given.map((word) => plainText(word, file, `${where}.words`))
    : plainText(given ?? '', file, `${where}.words`)
        .split(/\s+/)
        .filter((word) => word !== '');
  if (words.length === 0)
    throw new InformerError('argument', `${file}: ${where} has no words`, { hint: 'words: pods, for example' });
  if (words.some((word) => word.startsWith('@')))
    throw new InformerError('argument', `${file}: ${where} is made of another view`, {
      hint: 'a view has the types and flags themselves',
    });
  return { words, flags: flagTexts(flags, file, `${where}.flags`) };
}

function plainText(value: unknown, file: string, where: string): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  throw new InformerError('argument', `${file}: ${where} should be text, a number, true or false`);
}

function mapOf(value: unknown, file: string, where: string): Record<string, unknown> {
  if (isJsonMap(value)) return value;
  throw new InformerError('argument', `${file}: ${where} should be a map of names to values`);
}
