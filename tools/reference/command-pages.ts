import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { variableOf } from '../../src/cli/args/argv.ts';
import type { Flag, Flags } from '../../src/cli/args/flag.ts';
import { connectionFlags } from '../../src/cli/args/shared-flags.ts';
import type { CommandClass, Registry } from '../../src/cli/base-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BIN = 'kubectl informer';
const CLUSTER_FLAGS = 'options';
const MADE = '<!-- Written by `npm run docs:reference` from the definitions of the flags. Do not edit. -->';

/** The pages that teach a command, by its first word. A page named after that word is added by itself. */
const GUIDES: Readonly<Record<string, readonly string[]>> = {
  watch: ['watch', 'watch-session', 'recipes', 'clusters'],
  query: ['query', 'recipes', 'clusters'],
  serve: ['query', 'memory'],
  reconcile: ['hooks', 'reconcile', 'recipes', 'scaling'],
  queue: ['hooks'],
  sandbox: ['sandbox', 'testing'],
  config: ['config'],
  options: ['connecting', 'config'],
};

/** One page for each command and an index: file name → text. */
export async function commandPages(registry: Registry): Promise<Map<string, string>> {
  const commands = await Promise.all(
    Object.entries(registry).map(async ([name, load]) => ({ name, command: await load() })),
  );
  const pages = new Map([['README.md', indexPage(commands)]]);
  for (const { name, command } of commands) pages.set(fileOf(name), commandPage(name, command));
  return pages;
}

const fileOf = (name: string) => `${name.replaceAll(' ', '-')}.md`;

interface Named {
  readonly name: string;
  readonly command: CommandClass;
}

function indexPage(commands: readonly Named[]): string {
  return pageOf([
    '# Reference',
    'After reading this page you can look up every command, flag, environment variable and exit code, and every name of the library.',
    MADE,
    '## Commands',
    tableOf(
      ['command', 'what it does'],
      commands.map(({ name, command }) => [`[${name}](${fileOf(name)})`, `${command.summary ?? ''}.`]),
    ),
    `The flags that every command shares which connects to a cluster are on [one page](${fileOf(CLUSTER_FLAGS)}). A flag may be given before or after the name of the command. A switch takes \`=true\` and \`=false\`. A repeatable flag takes one value at each occurrence.`,
    '## The library',
    tableOf(
      ['import', 'what it has'],
      [
        ['`kubectl-informer`', 'clients, informers, queries, queues, controllers, waits'],
        ['`kubectl-informer/cache`', 'the parts of an informer, each usable alone'],
        ['`kubectl-informer/hooks`', 'the types of hooks that are modules'],
        ['`kubectl-informer/sandbox`', 'the API server in memory, for tests'],
        ['`kubectl-informer/testing`', 'a clock and helpers for tests'],
        ['`kubectl-informer/types`', 'every further type that a declaration names; types only'],
      ],
    ),
    'The build writes a page for each of them, with every name, its promise and its declaration, into the folder `library` beside this page: `npm run build` in a checkout. The installed package has these pages.',
    '## Environment',
    `Every flag can be set by a variable: \`${variableOf('')}\` and its name in capitals, with \`_\` for \`-\` (\`${variableOf('cache-dir')}\` for \`--cache-dir\`). The command line goes before the variable, the variable before the [config file](../config.md). The pages name the flags that have no variable.`,
    '## Exit codes',
    exitCodeTable(EXIT_CODES),
  ]);
}

function commandPage(name: string, command: CommandClass): string {
  const { summary = '', description = '', usage, examples, flags } = command;
  const isConnecting = 'context' in flags;
  const own = name === CLUSTER_FLAGS ? connectionFlags : isConnecting ? withoutConnection(flags) : flags;
  const guides = guidesOf(name);
  return pageOf([
    `# ${name}`,
    `After reading this page you know every flag of \`${BIN} ${name}\`, its values and its default. ${summary}.`,
    MADE,
    ...(guides.length > 0
      ? [`Guides: ${guides.join(' · ')}. All commands: [reference](README.md).`]
      : ['All commands: [reference](README.md).']),
    '## Usage',
    fenced(`${BIN} ${usage}`),
    description === '' ? '' : escaped(description),
    examples.length > 0 ? '## Examples' : '',
    ...examples.map(
      ({ description: what, command: line }) =>
        `${escaped(what)}:\n\n${fenced(line.replaceAll('<%= config.bin %>', BIN))}`,
    ),
    '## Flags',
    ...flagSections(own),
    isConnecting
      ? `It also takes [the flags that all commands share](${fileOf(CLUSTER_FLAGS)}): the cluster, the user, limits of requests, and the sandbox.`
      : '',
    '## Exit codes',
    exitCodeTable(exitCodesOf(flags)),
    '[All exit codes](README.md#exit-codes)',
  ]);
}

/** As in `--help`: a section for each group, in the order in which the groups begin. */
function flagSections(flags: Flags): string[] {
  const shown = Object.entries(flags).filter(([, { hidden }]) => !hidden);
  if (shown.length === 0) return ['It has none of its own.'];
  const groups = Map.groupBy(shown, ([, { helpGroup = '' }]) => helpGroup);
  return [...groups].flatMap(([heading, members]) => [
    groups.size > 1 && heading !== '' ? `### ${sentence(heading)}` : '',
    tableOf(
      ['flag', 'what it does', 'value', 'default', 'variable'],
      members.map(([name, flag]) => [
        labelOf(name, flag),
        `${escaped(flag.summary.replace(DEFAULT_IN_SUMMARY, ''))}.`,
        kindOf(name, flag),
        defaultOf(flag),
        flag.noEnv ? 'none' : `\`${variableOf(name)}\``,
      ]),
    ),
  ]);
}

function labelOf(name: string, flag: Flag<unknown>): string {
  const short = flag.char ? `\`-${flag.char}\`, ` : '';
  if (flag.type === 'boolean') return `${short}\`--${name}\``;
  const value = cellCode(placeholderOf(flag));
  return `${short}\`--${name}${flag.implied === undefined ? `=${value}` : `[=${value}]`}\``;
}

/** What `--help` writes for its value. */
const placeholderOf = (flag: Flag<unknown>) =>
  flag.type === 'option' && typeof flag.helpValue === 'string' ? flag.helpValue : 'TEXT';

/** The kind of its value, in the words of the error about a wrong one. */
function kindOf(name: string, flag: Flag<unknown>): string {
  if (flag.type === 'boolean') return 'switch';
  const placeholder = placeholderOf(flag);
  const kind = placeholder.startsWith('FILE') ? 'file' : placeholder.startsWith('DIR') ? 'folder' : 'text';
  return [
    expectedBy(name, flag) ?? kind,
    ...(flag.implied === undefined ? [] : [`\`${flag.implied}\` if there is none`]),
    ...(flag.multiple ? [flag.split ? 'repeatable, or with commas' : 'repeatable'] : []),
  ].join('; ');
}

/** A text that no flag with a kind of its own takes. */
const IMPOSSIBLE = '\u0000';

function expectedBy(name: string, flag: Flag<unknown>): string | undefined {
  try {
    flag.read({ values: [IMPOSSIBLE], from: 'line', label: `--${name}` } as never, name);
    return undefined;
  } catch (error) {
    const expected = /expected (.*)$/s.exec((error as Error).message)?.[1];
    return expected === undefined ? undefined : escaped(expected);
  }
}

/** A default that is no constant is at the end of the summary. */
const DEFAULT_IN_SUMMARY = / \(default: (.*)\)$/;

function defaultOf(flag: Flag<unknown>): string {
  const { default: builtIn, summary } = flag;
  const described = DEFAULT_IN_SUMMARY.exec(summary)?.[1];
  if (described !== undefined) return escaped(described);
  if (builtIn === undefined) return flag.type === 'boolean' ? 'not given' : '';
  return flag.type === 'boolean' ? (builtIn === true ? 'on' : 'off') : `\`${String(builtIn)}\``;
}

function withoutConnection(flags: Flags): Flags {
  const shared: Flags = connectionFlags;
  return Object.fromEntries(Object.entries(flags).filter(([name, flag]) => shared[name] !== flag));
}

function guidesOf(name: string): string[] {
  const [first = ''] = name.split(' ');
  const named = [...new Set([...(GUIDES[first] ?? []), first])];
  return named
    .filter((page) => existsSync(path.join(ROOT, 'docs', `${page}.md`)))
    .map((page) => `[${titleOf(page)}](../${page}.md)`);
}

const titleOf = (page: string) =>
  /^# (.*)$/m.exec(readFileSync(path.join(ROOT, 'docs', `${page}.md`), 'utf8'))?.[1] ?? page;

interface CodeMeaning {
  readonly name: string;
  readonly code: number;
  readonly meaning: string;
}

/** The codes with the comments at their definition. */
const EXIT_CODES: readonly CodeMeaning[] = [
  ...readFileSync(path.join(ROOT, 'src/cli/terminal/exit-codes.ts'), 'utf8').matchAll(
    /\/\*\*((?:(?!\*\/).)*)\*\/\s+(\w+): (\d+),/gs,
  ),
].map(([, comment = '', name = '', code]) => ({
  name,
  code: Number(code),
  meaning: comment.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim(),
}));

/** Codes that a command can have only if it has one of these flags. */
const ONLY_WITH: Readonly<Record<string, readonly string[]>> = {
  timeout: ['timeout', 'context'],
  continuity: ['strict', 'fresh'],
  failIf: ['fail-if'],
  readerGone: ['until', 'for'],
};

const exitCodesOf = (flags: Flags) =>
  EXIT_CODES.filter(({ name }) => ONLY_WITH[name]?.some((flag) => flag in flags) ?? true);

const exitCodeTable = (codes: readonly CodeMeaning[]) =>
  tableOf(
    ['code', 'meaning'],
    codes.map(({ code, meaning }) => [String(code), escaped(meaning)]),
  );

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const fenced = (text: string) => `\`\`\`\n${text}\n\`\`\``;

/** Text in a table or a paragraph: outside of code, what Markdown would take for a mark is escaped. */
const escaped = (text: string) =>
  text.replaceAll(/(`[^`]*`)|([\\*_<|[\]])/g, (_, code?: string, mark?: string) => code ?? `\\${mark}`);

/** Code in a table: only the bar has a meaning there. */
const cellCode = (text: string) => text.replaceAll('|', '\\|');

const sentence = (heading: string) => heading.charAt(0) + heading.slice(1).toLowerCase();

const pageOf = (parts: readonly string[]) => `${parts.filter((part) => part !== '').join('\n\n')}\n`;
