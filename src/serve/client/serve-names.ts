import { systemClock } from '../../kit/clock.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { FoundServe } from '../find.ts';
import type { GivenFlag } from '../protocol.ts';
import { askServe } from './ask.ts';

/** A value of an index, and how many objects have it. */
export interface CountedValue {
  readonly value: string;
  readonly about: string;
}

/** Which names are wanted. */
export interface NameScope {
  /** [''] = all. */
  readonly namespaces: readonly string[];
  /** The beginning of the names. */
  readonly prefix: string;
}

const given = (...values: string[]): GivenFlag => ({ values, origin: 'flag' });

/** The names of objects that a serve holds; undefined if it does not hold them, or has ended. */
export function namesFromServe(
  serve: FoundServe,
  type: ResourceType,
  { namespaces, ...scope }: NameScope & { limit: number },
  signal: AbortSignal,
): Promise<string[] | undefined> {
  return namesAsked(serve, formatGvr(type.gvr), scopeOf([type], namespaces), scope, signal);
}

/**
 * The same, for a type as a user writes it: the serve knows which it is. Without namespaces those that the serve takes
 * for a question without one.
 */
export function namesOfWord(
  serve: FoundServe,
  word: string,
  {
    namespaces = [],
    ...scope
  }: Omit<NameScope, 'namespaces'> & {
    readonly namespaces: readonly string[] | undefined;
    readonly limit: number;
  },
  signal: AbortSignal,
): Promise<string[] | undefined> {
  return namesAsked(serve, word, namespaces.length === 0 ? {} : namespaced(namespaces), scope, signal);
}

async function namesAsked(
  serve: FoundServe,
  word: string,
  where: Readonly<Record<string, GivenFlag>>,
  { prefix, limit }: Pick<NameScope, 'prefix'> & { limit: number },
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const lines = await answerOf(
    serve,
    [word],
    {
      ...where,
      output: given('name'),
      limit: given(String(limit)),
      ...(prefix === '' ? {} : { name: given(`^${escaped(prefix)}`) }),
    },
    signal,
  );
  return lines?.map((line) => line.slice(line.lastIndexOf('/') + 1));
}

/** Which values of an index are wanted. */
export interface IndexValuesRequest {
  readonly types: readonly ResourceType[];
  readonly namespaces: readonly string[];
  readonly index: string;
  /** Indexes of the line, as `--index` declares them, and those of the user's file. */
  readonly declared: readonly string[];
  readonly named: Readonly<Record<string, string>>;
}

/** The values of an index in what a serve holds, with the number of objects that have each; none if it cannot say. */
export async function valuesFromServe(
  serve: FoundServe,
  { types, namespaces, index, declared, named, limit }: IndexValuesRequest & { limit: number },
  signal: AbortSignal,
): Promise<CountedValue[]> {
  if (types.length === 0) return [];
  const lines = await answerOf(
    serve,
    [types.map(({ gvr }) => formatGvr(gvr)).join(',')],
    {
      ...scopeOf(types, namespaces),
      values: given(index),
      output: given('ndjson'),
      limit: given(String(limit)),
      ...(declared.length === 0 ? {} : { index: given(...declared) }),
    },
    signal,
    named,
  );
  return (lines ?? []).flatMap((line) => {
    const { value, count } = JSON.parse(line) as { value?: unknown; count?: unknown };
    return typeof value === 'string' ? [{ value, about: count === 1 ? '1 object' : `${count} objects` }] : [];
  });
}

const scopeOf = (types: readonly ResourceType[], namespaces: readonly string[]): Record<string, GivenFlag> =>
  types.every((type) => !type.namespaced) ? {} : namespaced(namespaces);

const namespaced = (namespaces: readonly string[]): Record<string, GivenFlag> =>
  namespaces.includes('') ? { 'all-namespaces': given('true') } : { namespace: given(...namespaces) };

/** The lines that a serve answers to a question; undefined if it cannot. */
async function answerOf(
  serve: FoundServe,
  words: readonly string[],
  flags: Readonly<Record<string, GivenFlag>>,
  signal: AbortSignal,
  indexes: Readonly<Record<string, string>> = {},
): Promise<string[] | undefined> {
  let text = '';
  const take = (piece: string) => {
    text += piece;
  };
  const question = { words, given: flags, config: { indexes }, terminal: { isTerminal: false }, env: {} };
  const asked = await askServe(serve, question, { signal, clock: systemClock, take });
  if (asked.kind !== 'answered' || asked.end.exitCode !== 0) return undefined;
  return text.split('\n').filter((line) => line !== '');
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
