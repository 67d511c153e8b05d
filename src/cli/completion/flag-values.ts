import { valueKindOf } from '../../output/formats.ts';
import type { CellType } from '../../stream/conditions/printed-cells.ts';
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
  values: async (inquiry, typed) => whole(await indexes(inquiry), typed),
  where: columns,
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
  if (flag.name === 'output' || typed.startsWith('jsonpath=')) {
    const value = valueKindOf(typed);
    if (value === 'path') return NO_COMPLETIONS;
    if (value === 'template' || value === 'columns') return templatePaths(inquiry, typed, value);
  }
  if (flag.words) return fixedWords(flag, flag.words, typed);
  const [, source] = BY_KIND.find(([kind]) => kind.test(flag.helpValue ?? '')) ?? [];
  return source ? source(inquiry, typed) : NO_COMPLETIONS;
}

const plain = (value: string): Candidate => ({ value });

function fixedWords({ split }: CatalogFlag, words: readonly string[], typed: string): Completions {
  const lead = split ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const taken = lead.split(',');
  const free = words.filter((word) => !taken.includes(word));
  return whole(
    free.map((word) => ({ value: `${lead}${word}` })),
    typed,
  );
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

/** `NAME=`, and behind it the values that a running serve knows. */
async function lookups(inquiry: Inquiry, typed: string): Promise<Completions> {
  const cut = typed.indexOf('=');
  if (cut >= 0) return valuesOf(inquiry, typed, cut);
  return offeredParts(
    (await indexes(inquiry)).map(({ value, about }) => ({ value: value.endsWith(':') ? value : `${value}=`, about })),
  );
}

async function valuesOf(inquiry: Inquiry, typed: string, cut: number): Promise<Completions> {
  const { at, words, line } = inquiry.cursor;
  const flag = at.is === 'value' ? at.flag.name : '';
  if (flag === 'range') return NO_COMPLETIONS;
  const lead = flag === 'in' ? typed.slice(0, Math.max(cut, typed.lastIndexOf(',')) + 1) : typed.slice(0, cut + 1);
  const taken = lead.slice(cut + 1).split(',');
  const { indexes: named } = await inquiry.config();
  const index = typed.slice(0, cut);
  const found = await (await inquiry.cluster()).values({
    types: await inquiry.typesOf(words),
    namespaces: await inquiry.namespaces(),
    index,
    declared: (line.given.get('index')?.values ?? []).filter((text) => text.startsWith(`${index}=`)),
    named: Object.hasOwn(named, index) ? { [index]: named[index] as string } : {},
  });
  return offered(
    found.filter(({ value }) => !taken.includes(value)).map((each) => ({ ...each, value: `${lead}${each.value}` })),
  );
}

/** The words `label:` and `NAME=` go on behind a candidate, if no other one fits. */
function whole(candidates: readonly Candidate[], typed: string): Completions {
  const fitting = candidates.filter(({ value }) => value.startsWith(typed));
  return fitting.length > 0 && fitting.every(({ value }) => /[:=]$/.test(value))
    ? offeredParts(candidates)
    : offered(candidates);
}

/** The printed columns, where an expression or a part of it begins. */
async function columns(inquiry: Inquiry, typed: string): Promise<Completions> {
  const [, lead = '', begun = ''] = /^(.*[(!])?([\p{L}_][\p{L}\p{Nd}_]*)?$/su.exec(typed) ?? [];
  if (lead + begun !== typed) return NO_COMPLETIONS;
  const cluster = await inquiry.cluster();
  const types = await inquiry.typesOf(inquiry.cursor.words);
  const found = await Promise.all(types.map((type) => cluster.columns(type).catch(() => undefined)));
  const { printedColumns } = await import('../../stream/conditions/printed-cells.ts');
  const printed = found.flatMap((each) =>
    each === undefined
      ? []
      : printedColumns(each.length > 0 ? each : undefined).map(({ name, type }) => ({ name, type })),
  );
  const around =
    printed.length === 0 ? [] : inquiry.cursor.command === 'query' ? ['NAMESPACE'] : ['EVENT', 'NAMESPACE'];
  return offeredParts([
    ...printed.map(({ name, type }) => ({ value: `${lead}${name}`, about: ABOUT_CELLS[type] })),
    ...around.map((name) => ({ value: `${lead}${name}`, about: ABOUT_CELLS.cell })),
  ]);
}

const ABOUT_CELLS: Readonly<Record<CellType, string>> = {
  number: 'a number: RESTARTS > 3',
  duration: 'a duration: AGE < duration("1h")',
  boolean: 'true or false',
  name: 'a text',
  cell: 'a text',
};

/** Names of indexes: of the line, of the config file, and built in. */
async function indexes(inquiry: Inquiry): Promise<Candidate[]> {
  const { given } = inquiry.cursor.line;
  const declared = (given.get('index')?.values ?? []).map((text) => text.split('=', 1)[0] ?? '');
  const { indexes: named } = await inquiry.config();
  const { IndexCatalog } = await import('../../query/index/index-catalog.ts');
  const builtIn = new IndexCatalog().names().filter((name) => !name.includes('KEY'));
  return [
    ...declared.map((value) => ({ value, about: 'an index of this line' })),
    ...Object.entries(named).map(([value, from]) => ({ value, about: from })),
    ...builtIn.map((value) => ({ value, about: 'a built-in index' })),
    { value: 'label:', about: 'an index for each label key: label:app' },
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
async function templatePaths(inquiry: Inquiry, typed: string, value: 'template' | 'columns'): Promise<Completions> {
  const isTemplate = value === 'template';
  const fields = await inquiry.fields();
  if (isTemplate && typed.endsWith('=')) return offeredParts([{ value: `${typed}{.`, about: 'a path in braces' }]);
  if (!isTemplate && !typed.includes(':')) return NO_COMPLETIONS;
  return offeredParts(jsonPathCandidates(typed, fields));
}
