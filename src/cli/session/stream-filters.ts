import type { CelProgram } from '../../expr/cel/cel.ts';
import { loadCel } from '../../expr/cel/load-cel.ts';
import type { Comparison } from '../../expr/cel/operators.ts';
import { addressesOf } from '../../expr/jsonpath/fields-read.ts';
import { loadPath, splitPaths } from '../../expr/jsonpath/path-values.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import { distinct, type FieldReads } from '../../model/field-path.ts';
import { OBJECT_PARTS, type ObjectPart } from '../../model/object-parts.ts';
import { compileSameBut } from '../../stream/changes/path-mask.ts';
import { CellComparison } from '../../stream/conditions/cell-comparison.ts';
import { conditionOf } from '../../stream/conditions/condition.ts';
import { whereConditionOf } from '../../stream/conditions/where-condition.ts';
import type { EventWord } from '../../stream/envelope.ts';
import type { GateRules } from '../../stream/filter-gate.ts';
import type { FilterFlags } from '../args/filter-flags.ts';

export interface StreamFilters {
  readonly rules: Omit<GateRules, 'clock' | 'onError' | 'onRemark' | 'onDropped'>;
  /** As they were compiled: for what a server can do of them, and to be checked against a type's columns. */
  readonly filters: readonly CelProgram[];
  readonly wheres: readonly CelProgram[];
  /** True if the filters read more of an object than its metadata. */
  readonly needsObject: boolean;
  /** The fields that `--filter`, `--changed` and `--ignore-changes` look at. */
  readonly reads: readonly FieldReads[];
}

/** Reads all that says what of a stream is shown. Throws `argument` for what cannot be read, with its place. */
export async function streamFiltersOf(flags: FilterFlags, options: OwnVariables = {}): Promise<StreamFilters> {
  const { programs: filters, needsObject, reads } = await compiledAll(flags.filter, 'filter', options);
  const { programs: wheres, conditions: whereConditions } = await compiledWheres(flags.where ?? []);
  const changed = await Promise.all(
    (flags.changed ?? []).flatMap(splitPaths).map((path) => loadPath(path, { flag: '--changed' })),
  );
  const ignored = (flags['ignore-changes'] ?? []).flatMap(splitPaths);
  const predicates = predicatesOf(flags.predicate);
  const looksInside =
    changed.some(({ text }) => !isOfMetadata(text)) || ignored.length > 0 || flags['no-noise'] === true;
  return {
    filters,
    wheres,
    reads: [
      ...reads,
      { flag: '--changed', addresses: changed.flatMap(({ text }) => addressesOf(text)) },
      { flag: '--ignore-changes', addresses: ignored.flatMap(addressesOf) },
    ],
    needsObject: needsObject || looksInside || predicates.some((part) => part === 'spec' || part === 'status'),
    rules: {
      name: await regexOf('name', flags.name),
      excludeName: await regexOf('exclude-name', flags['exclude-name']),
      watchOnly: flags['watch-only'],
      on: eventTypesOf(flags.on),
      conditions: [...filters.map(conditionOf), ...whereConditions],
      ...(changed.length > 0 ? { changed: changed.map((path) => (object) => path.values(object)) } : {}),
      ...(ignored.length > 0 ? { sameBut: readIgnored(ignored) } : {}),
      ...(predicates.length > 0 ? { predicates } : {}),
      noNoise: flags['no-noise'],
    },
  };
}

/**
 * Refuses `--on left` where nothing can leave, and flags that choose among updates (as they are written) where no update
 * is shown. Throws `argument`.
 */
export function checkEventWords({ on, conditions = [] }: StreamFilters['rules'], ofUpdates: string | undefined): void {
  if (on && !on.has('MODIFIED') && ofUpdates !== undefined)
    throw new InformerError('argument', `${ofUpdates} does nothing beside --on without modified`, {
      hint: 'it chooses among updates; add modified, or leave one of them out',
    });
  if (on?.has('LEFT') && conditions.every(({ readsEvent }) => readsEvent))
    throw new InformerError(
      'argument',
      '--on left does nothing without an expression about objects in --filter or --where',
      { hint: 'an object leaves when it stops matching; --on deleted is for objects that are gone' },
    );
}

/** The expressions of one flag, and whether they look at more of an object than its metadata. */
export interface Compiled {
  readonly programs: readonly CelProgram[];
  readonly needsObject: boolean;
  /** The fields they look at. */
  readonly reads: readonly FieldReads[];
}

export interface OwnVariables {
  /** Variables that expressions may read beside those of an object. */
  readonly variables?: Readonly<Record<string, 'string'>> | undefined;
}

export interface CompileOptions extends OwnVariables {
  readonly comparisons?: readonly Comparison[] | undefined;
}

/** Compiles the expressions of one flag; CEL is loaded only when there are any. */
export async function compiledAll(
  sources: readonly string[] | undefined,
  flag: string,
  { comparisons = [], variables: own }: CompileOptions = {},
): Promise<Compiled> {
  if (!sources || sources.length === 0) return { programs: [], needsObject: false, reads: [] };
  const { compileCel, OBJECT_VARIABLES, readsBeyond, addressesRead } = await loadCel();
  const variables = { ...OBJECT_VARIABLES, ...own };
  const names = flag === 'where' ? { variables: {}, unlisted: true } : { variables };
  const programs = sources.map((source, i) =>
    compileCel(source, { flag: `--${flag}`, wants: 'bool', ...names, comparison: comparisons[i] }),
  );
  const needsObject = programs.some(({ ast }) =>
    ['object', 'oldObject'].some((name) => readsBeyond(ast, name, 'metadata')),
  );
  return {
    programs,
    needsObject,
    reads: [{ flag: `--${flag}`, addresses: distinct(programs.flatMap(({ ast }) => addressesRead(ast))) }],
  };
}

/** Compiles the expressions of `--where`. */
export async function compiledWheres(sources: readonly string[]) {
  const comparisons = sources.map((source) => new CellComparison(source));
  const { programs } = await compiledAll(sources, 'where', { comparisons });
  return {
    programs,
    conditions: programs.map((program, i) => whereConditionOf(program, comparisons[i] as CellComparison)),
  };
}

/** Whether a path finds nothing but metadata. */
export const isOfMetadata = (path: string): boolean => /^\$?\{?\.?metadata\b/.test(path.trim());

const EVENT_WORDS: Readonly<Record<string, EventWord>> = {
  added: 'ADDED',
  modified: 'MODIFIED',
  deleted: 'DELETED',
  left: 'LEFT',
};

/** Reads `--on added,modified,deleted,left`. */
function eventTypesOf(words: readonly string[] | undefined): ReadonlySet<EventWord> | undefined {
  if (!words || words.length === 0) return undefined;
  return new Set(
    words.map((word) => {
      const type = EVENT_WORDS[word.toLowerCase()];
      if (type) return type;
      throw new InformerError(
        'argument',
        `invalid argument "${word}" for "--on": expected added, modified, deleted or left`,
      );
    }),
  );
}

function predicatesOf(words: readonly string[] | undefined): ObjectPart[] {
  return (words ?? []).map((word) => {
    if (Object.hasOwn(OBJECT_PARTS, word)) return word as ObjectPart;
    const parts = Object.keys(OBJECT_PARTS).join(', ');
    const [near] = nearest(word, Object.keys(OBJECT_PARTS), 1);
    throw new InformerError('argument', `invalid argument "${word}" for "--predicate": expected one of ${parts}`, {
      hint: near && `did you mean ${near}?`,
    });
  });
}

function readIgnored(paths: readonly string[]): ReturnType<typeof compileSameBut> {
  try {
    return compileSameBut(paths);
  } catch (cause) {
    throw new InformerError(
      'argument',
      `invalid argument "${paths.join(',')}" for "--ignore-changes": ${messageOf(cause)}`,
      { cause },
    );
  }
}

/**
 * Reads a regular expression for names. One that repeats a group is matched in linear time: JavaScript's own engine can
 * need hours for `^(a+)+$`. Throws `argument` for one that cannot be read, or that repeats a group and cannot be matched
 * in linear time.
 */
export async function regexOf(flag: string, text: string | undefined): Promise<NamePattern | undefined> {
  if (text === undefined) return undefined;
  try {
    const pattern = new RegExp(text);
    return REPEATS_GROUP.test(text) ? await inLinearTime(text) : pattern;
  } catch (cause) {
    if (cause instanceof InformerError) throw cause;
    const hint = cause instanceof SyntaxError ? undefined : NO_LINEAR_TIME;
    throw new InformerError('argument', `invalid argument "${text}" for "--${flag}": ${messageOf(cause)}`, {
      cause,
      hint,
    });
  }
}

interface NamePattern {
  test(name: string): boolean;
}

const REPEATS_GROUP = /\)[*+{]/;
const NO_LINEAR_TIME =
  'a pattern that repeats a group cannot look ahead or back too: it could run for hours on one name';

async function inLinearTime(text: string): Promise<NamePattern> {
  const { regexFor } = await import('../../expr/cel/regex.ts');
  return regexFor(text);
}
