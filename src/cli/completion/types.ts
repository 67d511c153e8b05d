import { formatGroupResource, formatGvr } from '../../model/gvr.ts';
import { isWatchable, type ResourceType } from '../../model/resource-type.ts';
import { type Candidate, type Completions, NO_COMPLETIONS, offered, offeredParts } from './completions.ts';
import type { Inquiry } from './inquiry.ts';

/**
 * Types for a word, which may have several joined by commas: `pods,conf`. Where none fits, the server is asked once
 * more: a type may be newer than the cache.
 */
export async function typeCompletions(inquiry: Inquiry, typed: string): Promise<Completions> {
  const lead = typed.slice(0, typed.lastIndexOf(',') + 1);
  const part = typed.slice(lead.length);
  const taken = new Set(lead.split(','));
  const cluster = await inquiry.cluster();
  const isUsable = TAKES_LISTS.has(inquiry.cursor.command ?? '') ? isListable : isWatchable;
  const among = (types: readonly ResourceType[]) =>
    typeCandidates(types.filter(isUsable), part)
      .filter(({ value }) => !taken.has(value))
      .map((each) => ({ ...each, value: `${lead}${each.value}` }));
  const known = among((await cluster.types()).types);
  return offered(known.length > 0 ? known : among((await cluster.freshTypes()).types));
}

/** Commands that also take types which cannot be watched. */
const TAKES_LISTS: ReadonlySet<string> = new Set(['query', 'types']);

const isListable = ({ verbs }: ResourceType) => verbs.includes('list');

/** Types whose name begins with `part`, or else their short name; each in the shortest form that means this type. */
function typeCandidates(types: readonly ResourceType[], part: string): Candidate[] {
  if (/^([\w.-]+\/)?v\d\w*\//.test(part))
    return startingWith(
      part,
      types.map((type) => candidateOf(type, formatGvr(type.gvr))),
    );
  const preferred = types.filter((type) => type.preferred);
  const named = startingWith(
    part,
    preferred.map((type) => candidateOf(type, nameOf(type, preferred, part))),
  );
  const short = preferred
    .filter((type) => part !== '' && !type.gvr.resource.startsWith(part))
    .flatMap((type) => type.shortNames.map((name) => candidateOf(type, name)));
  return [...named, ...startingWith(part, short)];
}

const startingWith = (part: string, candidates: readonly Candidate[]) =>
  candidates.filter(({ value }) => value.startsWith(part));

/** `pods`, or `pods.metrics.k8s.io` for what plain `pods` does not mean, and where a dot was typed. */
function nameOf({ gvr }: ResourceType, types: readonly ResourceType[], part: string): string {
  const first = types.find((type) => type.gvr.resource === gvr.resource);
  return first?.gvr.group === gvr.group && !part.includes('.') ? gvr.resource : formatGroupResource(gvr);
}

function candidateOf({ kind, gvr, shortNames, namespaced }: ResourceType, value: string): Candidate {
  const short = shortNames.length > 0 ? ` (${shortNames.join(', ')})` : '';
  const scope = namespaced ? '' : ', cluster-scoped';
  const version = gvr.group === '' ? gvr.version : `${gvr.group}/${gvr.version}`;
  return { value, about: `${kind}${short}, ${version}${scope}` };
}

/** Names of objects behind `TYPE/`, or behind `TYPE[,TYPE…]` and further names. */
async function nameCompletions(inquiry: Inquiry, words: readonly string[], typed: string): Promise<Completions> {
  const [first] = words;
  if (first !== undefined && words.every((word) => !word.includes('/'))) {
    const taken = new Set(words.slice(1));
    return offered((await namesOf(inquiry, first, typed)).filter(({ value }) => !taken.has(value)));
  }
  const slash = typed.indexOf('/');
  if (slash < 1) return NO_COMPLETIONS;
  const [type, name] = [typed.slice(0, slash), typed.slice(slash + 1)];
  const names = await namesOf(inquiry, type, name);
  return offered(
    names.map(({ value }) => ({ value: `${type}/${value}` })).filter(({ value }) => !words.includes(value)),
  );
}

async function namesOf(inquiry: Inquiry, type: string, prefix: string): Promise<Candidate[]> {
  const held = await inquiry.namesHeld(type, prefix);
  if (held) return held.map((value) => ({ value }));
  const types = await inquiry.typesOf([type]);
  const [cluster, namespaces] = [await inquiry.cluster(), await inquiry.namespaces()];
  const found = await Promise.allSettled(types.map((type) => cluster.names(type, { namespaces, prefix })));
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value.map((value) => ({ value })) : []));
}

/** TYPE, TYPE/NAME, and names. */
export async function objectCompletions(
  inquiry: Inquiry,
  words: readonly string[],
  typed: string,
): Promise<Completions> {
  if (words.length > 0)
    return words[0]?.includes('/') && !typed.includes('/')
      ? typesWithSlash(inquiry, typed)
      : nameCompletions(inquiry, words, typed);
  if (!typed.includes('/') || typed.includes(',')) return typeCompletions(inquiry, typed);
  const types = await typeCompletions(inquiry, typed).catch(() => NO_COMPLETIONS);
  return types.candidates.length > 0 ? types : nameCompletions(inquiry, words, typed);
}

/** The types with a slash behind them: after `pod/web`, each further word has one too. */
async function typesWithSlash(inquiry: Inquiry, typed: string): Promise<Completions> {
  const { candidates } = await typeCompletions(inquiry, typed);
  return offeredParts(candidates.map((each) => ({ ...each, value: `${each.value}/` })));
}
