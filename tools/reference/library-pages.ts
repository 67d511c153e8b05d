import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'rolldown/utils';

const TYPES = path.resolve(import.meta.dirname, '../../dist/types');
const MADE =
  '<!-- Written by `npm run docs:reference` from the comments and declarations of the library. Do not edit. -->';

interface Entry {
  readonly name: string;
  readonly module: string;
  /** The file whose headings (`// # Topic`) group its names. */
  readonly source?: string;
  readonly purpose: string;
  /** Its page repeats what is also in the page of another entry. */
  readonly isWhole?: true;
  readonly guides: readonly (readonly [title: string, page: string])[];
}

/** The entries of the package, in the order in which people meet them. */
const ENTRIES: readonly Entry[] = [
  {
    name: 'index',
    module: 'kubectl-informer',
    source: 'index.ts',
    purpose: 'clients, informers, queries, queues, controllers, leader election, metrics, and waits',
    guides: [
      ['Informers', 'informers'],
      ['The client', 'client'],
      ['Controllers', 'controllers'],
      ['Errors', 'errors'],
    ],
  },
  {
    name: 'cache',
    module: 'kubectl-informer/cache',
    purpose: 'the parts of an informer, each usable alone',
    isWhole: true,
    guides: [['Informers', 'informers']],
  },
  {
    name: 'hooks',
    module: 'kubectl-informer/hooks',
    purpose: 'the types of hooks that are modules',
    guides: [['Hooks', 'hooks']],
  },
  {
    name: 'webhooks',
    module: 'kubectl-informer/webhooks',
    purpose: 'a server for webhooks of admission and of conversion',
    guides: [['Webhooks', 'webhooks']],
  },
  {
    name: 'crds',
    module: 'kubectl-informer/crds',
    purpose: 'custom resources from schemas in code',
    guides: [['Custom resources', 'crds']],
  },
  {
    name: 'sandbox',
    module: 'kubectl-informer/sandbox',
    purpose: 'the API server in memory, for tests and trials',
    guides: [
      ['The sandbox', 'sandbox'],
      ['Testing', 'testing'],
    ],
  },
  {
    name: 'testing',
    module: 'kubectl-informer/testing',
    purpose: 'a clock that the test moves, and helpers that wait',
    guides: [['Testing', 'testing']],
  },
  {
    name: 'types',
    module: 'kubectl-informer/types',
    purpose: 'every further type that a declaration of the other entries names',
    guides: [['The client', 'client']],
  },
];

const KINDS = {
  function: 'Functions',
  class: 'Classes',
  const: 'Constants',
  interface: 'Interfaces',
  type: 'Types',
} as const;
type Kind = keyof typeof KINDS;

/** An exported name: its comment, and its declarations without it. */
interface Documented {
  readonly name: string;
  readonly kind: Kind;
  readonly docs: readonly string[];
  readonly text: string;
}

/** One page for each entry of the package: file name → text. Reads the built declarations. */
export function libraryPages(): Map<string, string> {
  const shared = declarationsIn('shared');
  const pages = ENTRIES.map((entry) => ({ entry, names: exportsOf(entry.name, shared) }));
  const homes = new Map<string, string>();
  for (const { entry, names } of pages) {
    const anchors = anchorsOf(names);
    for (const { name } of names) if (!homes.has(name)) homes.set(name, `${entry.name}.md#${anchors.get(name)}`);
  }
  return new Map(pages.map(({ entry, names }) => [`${entry.name}.md`, pageOf(entry, names, homes)]));
}

/** The examples of the comments, each with the name that it is about. */
export function examplesOf(): { name: string; code: string }[] {
  return ['index', 'cache', 'hooks', 'webhooks', 'crds', 'sandbox', 'testing', 'shared'].flatMap((file) =>
    [...declarationsIn(file).values()].flatMap(({ name, docs }) =>
      docs.flatMap((doc) => partsOf(doc).examples).map((code) => ({ name, code })),
    ),
  );
}

/** The exported names of each entry: module → names. */
export function namesByModule(): Map<string, string[]> {
  const shared = declarationsIn('shared');
  return new Map(ENTRIES.map(({ name, module }) => [module, exportsOf(name, shared).map((one) => one.name)]));
}

function exportsOf(file: string, shared: ReadonlyMap<string, Documented>): Documented[] {
  const own = declarationsIn(file);
  const text = readFileSync(path.join(TYPES, `${file}.d.ts`), 'utf8');
  const names = [...text.matchAll(/^export (?:type )?\{\n(.*?)^\}/gms)].flatMap(([, list = '']) =>
    [...list.matchAll(/^ {2}(?:type )?(\w+)(?: as (\w+))?,$/gm)].map(([, name = '', as]) => ({ name, as: as ?? name })),
  );
  return names
    .flatMap(({ name, as }) => {
      const documented = own.get(name) ?? shared.get(name);
      return documented ? [{ ...documented, name: as }] : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function declarationsIn(file: string): Map<string, Documented> {
  const text = readFileSync(path.join(TYPES, `${file}.d.ts`), 'utf8');
  const { program, comments } = parseSync(`${file}.d.ts`, text, { lang: 'dts', sourceType: 'module' });
  const found = new Map<string, Documented>();
  for (const node of program.body) {
    const declared = declaredBy(node as never);
    if (!declared) continue;
    const comment = comments.findLast(({ end }) => end <= node.start && text.slice(end, node.start).trim() === '');
    const before = found.get(declared.name);
    const body = text.slice(node.start, node.end).replace(/^declare /, '');
    found.set(declared.name, {
      ...declared,
      kind: before?.kind ?? declared.kind,
      docs: [...(before?.docs ?? []), ...(comment ? [plain(comment.value)] : [])],
      text: before ? `${before.text}\n${body}` : body,
    });
  }
  return found;
}

interface Node {
  readonly type: string;
  readonly id?: { readonly name: string };
  readonly declarations?: readonly { readonly id: { readonly name: string } }[];
}

const KIND_OF: Readonly<Record<string, Kind>> = {
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
  ClassDeclaration: 'class',
  FunctionDeclaration: 'function',
  TSDeclareFunction: 'function',
  VariableDeclaration: 'const',
};

function declaredBy({ type, id, declarations }: Node): { name: string; kind: Kind } | undefined {
  const kind = KIND_OF[type];
  const name = id?.name ?? declarations?.[0]?.id.name;
  return kind && name ? { name, kind } : undefined;
}

/** A comment without its stars. */
const plain = (comment: string) =>
  comment
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();

/** The text of a comment, and its examples. */
function partsOf(doc: string): { text: string; examples: string[] } {
  const [text = '', ...examples] = doc.split(/^@example\s*$/m);
  return { text: text.trim(), examples: examples.map((example) => example.trim()) };
}

function pageOf(entry: Entry, names: readonly Documented[], homes: ReadonlyMap<string, string>): string {
  const own = names.filter(({ name }) => entry.isWhole || homes.get(name)?.startsWith(`${entry.name}.md`));
  const elsewhere = names.filter((one) => !own.includes(one));
  const anchors = anchorsOf(names);
  const groups = entry.source ? byTopic(own, entry.source) : byKind(own);
  const linked = (name: string) => `[\`${name}\`](#${anchors.get(name)})`;
  const guides = entry.guides.map(([title, page]) => `[${title}](../../${page}.md)`).join(' · ');
  return `${[
    `# ${entry.module}`,
    `After reading this page you know every name of \`${entry.module}\`: ${entry.purpose}. Guides: ${guides}. All entries: [reference](../README.md#the-library).`,
    MADE,
    ...groups.map(({ title, members }) => `**${title}**: ${members.map(({ name }) => linked(name)).join(' · ')}`),
    ...(elsewhere.length > 0
      ? [`**Also in other entries**: ${elsewhere.map(({ name }) => `[\`${name}\`](${homes.get(name)})`).join(' · ')}`]
      : []),
    ...groups.flatMap(({ title, members }) => [`## ${title}`, ...members.map((one) => sectionOf(one, entry, homes))]),
  ].join('\n\n')}\n`;
}

interface Group {
  readonly title: string;
  readonly members: readonly Documented[];
}

function byKind(names: readonly Documented[]): Group[] {
  return (Object.keys(KINDS) as Kind[])
    .map((kind) => ({ title: KINDS[kind], members: names.filter((one) => one.kind === kind) }))
    .filter(({ members }) => members.length > 0);
}

/** Groups by the headings of an entry's source, values before types in each. */
function byTopic(names: readonly Documented[], source: string): Group[] {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../src', source), 'utf8');
  const groups = text
    .split(/^\/\/ # /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...rest] = part.split('\n');
      const listed = new Set([...rest.join('\n').matchAll(/(\w+)\s*(?=[,}])/g)].map(([, name]) => name));
      return { title, members: byKind(names.filter(({ name }) => listed.has(name))).flatMap(({ members }) => members) };
    });
  const lost = names.filter((one) => !groups.some(({ members }) => members.includes(one)));
  if (lost.length > 0) throw new Error(`${source}: ${lost.map(({ name }) => name).join(', ')} are below no heading`);
  return groups;
}

function sectionOf({ name, docs, text }: Documented, entry: Entry, homes: ReadonlyMap<string, string>): string {
  const parts = docs.map(partsOf);
  return [
    `### ${name}`,
    ...parts.map((part) => linkedText(part.text, entry, homes)),
    ...parts.flatMap(({ examples }) => examples).map((code) => `Example:\n\n\`\`\`ts\n${code}\n\`\`\``),
    `\`\`\`ts\n${shownText(text)}\n\`\`\``,
  ].join('\n\n');
}

/** A declaration as a reader needs it: without the mark of private members, and with names in place of links. */
const shownText = (text: string) =>
  text
    .replaceAll(/^declare /gm, '')
    .replaceAll(/^ *#private;\n/gm, '')
    .replaceAll(/\{@link(?:\s|\*)+([\w.]+)[^}]*\}/g, '$1');

/** `{@link X}` leads to X if the package exports it. Outside of code, angle brackets are escaped. */
function linkedText(text: string, entry: Entry, homes: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(/(`[^`]*`)|</g, (_, code?: string) => code ?? '\\<')
    .replaceAll(/\{@link\s+([\w.]+)(?:\s+[^}]*)?\}/g, (_, target: string) => {
      const home = homes.get(target.split('.')[0] ?? '');
      return home ? `[\`${target}\`](${home.replace(`${entry.name}.md`, '')})` : `\`${target}\``;
    });
}

/** The anchors that GitHub gives to the headings: a name that another has in other capitals gets a number. */
function anchorsOf(names: readonly Documented[]): Map<string, string> {
  const used = new Map<string, number>();
  const anchors = new Map<string, string>();
  for (const kind of Object.keys(KINDS) as Kind[])
    for (const { name } of names.filter((one) => one.kind === kind)) {
      const anchor = name.toLowerCase();
      const before = used.get(anchor) ?? 0;
      used.set(anchor, before + 1);
      anchors.set(name, before === 0 ? anchor : `${anchor}-${before}`);
    }
  return anchors;
}
