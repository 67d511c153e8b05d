import type { CatalogFlag } from './catalog.ts';
import {
  type Candidate,
  type Completions,
  FILES,
  FOLDERS,
  NO_COMPLETIONS,
  offered,
  offeredParts,
} from './completions.ts';
import { celCandidates, jsonPathCandidates } from './field-paths.ts';
import type { Inquiry } from './inquiry.ts';
import { typeCompletions } from './types.ts';

type Source = (inquiry: Inquiry, typed: string) => Promise<Completions> | Completions;

/** Values of flags whose name says what they are. */
const BY_NAME: Readonly<Record<string, Source>> = {
  namespace: namespaces,
  into: namespaces,
  'leader-elect-namespace': namespaces,
  context: contexts,
  cluster: async (inquiry) => offered((await inquiry.kubeconfig()).clusters.map(plain)),
  user: async (inquiry) => offered((await inquiry.kubeconfig()).users.map(plain)),
  eq: lookups,
  in: lookups,
  prefix: lookups,
  range: lookups,
  values: async (inquiry) => offered(await indexes(inquiry)),
  load: () => FILES,
};

/** Values of flags by what `--help` calls them. */
const BY_KIND: readonly (readonly [kind: RegExp, source: Source])[] = [
  [/^FILE/, () => FILES],
  [/^DIR/, () => FOLDERS],
  [/^TYPE/, typeCompletions],
  [/^CEL/, cel],
  [/JSONPATH|EXPRESSION/, paths],
];

/** The values that a flag may have here. */
export async function valueCompletions(inquiry: Inquiry, flag: CatalogFlag, typed: string): Promise<Completions> {
  if (flag.kind === 'boolean') return offered(['true', 'false'].map(plain));
  const byName = Object.hasOwn(BY_NAME, flag.name) ? BY_NAME[flag.name] : undefined;
  if (byName) return byName(inquiry, typed);
  const format = /^(jsonpath|jsonpath-as-json|custom-columns|csv|jsonpath-file|custom-columns-file)=/.exec(typed)?.[1];
  if (format !== undefined && flag.name === 'output')
    return format.endsWith('-file') ? NO_COMPLETIONS : templatePaths(inquiry, typed);
  if (format === 'jsonpath') return templatePaths(inquiry, typed);
  if (flag.words) return fixedWords(flag, flag.words, typed);
  const [, source] = BY_KIND.find(([kind]) => kind.test(flag.helpValue ?? '')) ?? [];
  return source ? source(inquiry, typed) : NO_COMPLETIONS;
}

const plain = (value: string): Candidate => ({ value });

function fixedWords({ split }: CatalogFlag, words: readonly string[], typed: string): Completions {
  const lead = split ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const taken = lead.split(',');
  const fitting = words.filter((word) => !taken.includes(word) && `${lead}${word}`.startsWith(typed));
  const candidates = fitting.map((word) => ({ value: `${lead}${word}` }));
  return fitting.length > 0 && fitting.every((word) => word.endsWith('='))
    ? offeredParts(candidates)
    : offered(candidates);
}

async function namespaces(inquiry: Inquiry, typed: string): Promise<Completions> {
  const lead = typed.slice(0, typed.lastIndexOf(',') + 1);
  const cluster = await inquiry.cluster();
  const [type] = await inquiry.typesOf(['namespaces']);
  if (!type) return NO_COMPLETIONS;
  const names = await cluster.names(type, { namespaces: [''], prefix: typed.slice(lead.length) });
  const taken = lead.split(',');
  return offered(names.filter((name) => !taken.includes(name)).map((name) => ({ value: `${lead}${name}` })));
}

/** Several contexts are joined by commas on commands that take several clusters. */
async function contexts(inquiry: Inquiry, typed: string): Promise<Completions> {
  const { contexts: names } = await inquiry.kubeconfig();
  const takesSeveral = inquiry.cursor.flags.some(({ name }) => name === 'all-contexts');
  const lead = takesSeveral ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const taken = lead.split(',');
  return offered(names.filter((name) => !taken.includes(name)).map((name) => ({ value: `${lead}${name}` })));
}

/** `NAME=`, which a value follows. */
async function lookups(inquiry: Inquiry, typed: string): Promise<Completions> {
  if (typed.includes('=')) return NO_COMPLETIONS;
  return offeredParts((await indexes(inquiry)).map(({ value, about }) => ({ value: `${value}=`, about })));
}

/** Names of indexes: of the line, of the config file, and built in. */
async function indexes(inquiry: Inquiry): Promise<Candidate[]> {
  const { given } = inquiry.cursor.line;
  const declared = (given.get('index')?.values ?? []).map((text) => text.split('=', 1)[0] ?? '');
  const { indexes: named } = await inquiry.config();
  const { IndexCatalog } = await import('../../query/index-catalog.ts');
  const builtIn = new IndexCatalog().names().filter((name) => !name.includes('KEY'));
  return [
    ...declared.map((value) => ({ value, about: 'an index of this line' })),
    ...Object.entries(named).map(([value, from]) => ({ value, about: from })),
    ...builtIn.map((value) => ({ value, about: 'a built-in index' })),
  ];
}

async function cel(inquiry: Inquiry, typed: string): Promise<Completions> {
  return offeredParts(celCandidates(typed, 'object.'.startsWith(typed) ? [] : await inquiry.fields()));
}

/** A JSONPath, or CEL over object. */
async function paths(inquiry: Inquiry, typed: string): Promise<Completions> {
  if (/\b(object|oldObject)\b/.test(typed)) return cel(inquiry, typed);
  return offeredParts(jsonPathCandidates(typed, await inquiry.fields()));
}

/** The fields in a template: `jsonpath={.metadata.name`, `custom-columns=NAME:.metadata.name`. */
async function templatePaths(inquiry: Inquiry, typed: string): Promise<Completions> {
  const isTemplate = /^jsonpath(-as-json)?=/.test(typed);
  const fields = await inquiry.fields();
  if (isTemplate && typed.endsWith('=')) return offeredParts([{ value: `${typed}{.`, about: 'a path in braces' }]);
  if (!isTemplate && !typed.includes(':')) return NO_COMPLETIONS;
  return offeredParts(jsonPathCandidates(typed, fields));
}
