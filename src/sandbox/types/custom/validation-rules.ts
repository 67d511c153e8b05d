import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { messageOf } from '../../../kit/error.ts';
import { isJsonMap, jsonText } from '../../../kit/exact-json.ts';
import { type FieldProblem, notImplemented } from '../../status/statuses.ts';
import type { JsonSchema, ValidationRule } from '../api-type.ts';
import { own } from '../own-fields.ts';
import { goPattern, patternProblem } from './patterns.ts';
import { BudgetSpent, CostExceeded, chargePattern, RuleBudget, withCostLimit } from './rule-cost.ts';

/**
 * The rules of its schema (x-kubernetes-validations) that a custom resource does not meet, as problems in the server's
 * words. Rules that use the value before are skipped when there was none. Throws 501 for a rule with a function that
 * the sandbox does not have.
 * Source: apiextensions-apiserver apiserver/schema/cel/validation.go.
 */
export function ruleProblems(object: object, schema: JsonSchema, before: object | undefined): FieldProblem[] {
  const problems: FieldProblem[] = [];
  try {
    visit({ value: object, before, schema, path: '' }, { problems, budget: new RuleBudget() });
  } catch (error) {
    if (!(error instanceof NoMoreRules)) throw error;
  }
  return problems;
}

/** Thrown to end the evaluation of rules, after the problem for which they end was noted. */
class NoMoreRules extends Error {}

interface Findings {
  readonly problems: FieldProblem[];
  readonly budget: RuleBudget;
}

/** The rules of a schema that the sandbox cannot evaluate, with the reason. */
export function unknownRules(schema: JsonSchema): { readonly rule: string; readonly why: string }[] {
  const found = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => {
    const why = rule.optionalOldSelf ? 'optionalOldSelf' : compile(rule.rule).why;
    return why === undefined ? [] : [{ rule: rule.rule, why }];
  });
  return [...found, ...partsOfSchema(schema).flatMap(unknownRules)];
}

function partsOfSchema({ properties, items, additionalProperties }: JsonSchema): JsonSchema[] {
  const values = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...Object.values(properties ?? {}), ...(items ? [items] : []), ...values];
}

interface Place {
  readonly value: unknown;
  readonly before: unknown;
  readonly schema: JsonSchema;
  readonly path: string;
}

function visit(place: Place, findings: Findings): void {
  const { value, schema } = place;
  if (value === null || value === undefined) return;
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length > 0) {
    const seen = valuesOf(place);
    for (const rule of rules) evaluate(rule, place, seen, findings);
  }
  for (const inner of partsOf(place)) visit(inner, findings);
}

/** The values of a place as its rules see them. They are converted once for all rules. */
interface SeenValues {
  readonly self: unknown;
  readonly oldSelf: unknown;
}

function valuesOf({ value, before, schema }: Place): SeenValues {
  return { self: toCel(value, schema), oldSelf: before === undefined ? undefined : toCel(before, schema) };
}

function partsOf({ value, before, schema, path }: Place): Place[] {
  const was = (name: string) => (isJsonMap(before) ? own(before, name) : undefined);
  if (isJsonMap(value)) {
    const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    return Object.entries(value).flatMap(([name, inner]) => {
      const known = own(schema.properties, name) ?? others;
      if (!known) return [];
      const at = own(schema.properties, name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
      return [{ value: inner, before: was(name), schema: known, path: at }];
    });
  }
  const { items } = schema;
  if (!Array.isArray(value) || !items) return [];
  const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
  const sameItem = itemsByKey(before, keys);
  return value.map((item: unknown, i) => ({
    value: item,
    before: sameItem(item),
    schema: items,
    path: `${path}[${i}]`,
  }));
}

/** Finds the item with the same key in the list before; undefined for a list without keys. */
function itemsByKey(before: unknown, keys: readonly string[] | undefined): (item: unknown) => unknown {
  if (!keys || !Array.isArray(before)) return () => undefined;
  const keyOf = (item: Record<string, unknown>) => jsonText(keys.map((key) => item[key] ?? null));
  const known = new Map(before.filter(isJsonMap).map((item) => [keyOf(item), item]));
  return (item) => (isJsonMap(item) ? known.get(keyOf(item)) : undefined);
}

function evaluate(
  rule: ValidationRule,
  { value, before, schema, path }: Place,
  { self, oldSelf }: SeenValues,
  { problems, budget }: Findings,
): void {
  const comparesOld = /\boldSelf\b/.test(rule.rule);
  if (comparesOld && before === undefined && !rule.optionalOldSelf) return;
  const { run, why } = compile(rule.rule);
  if (!run || rule.optionalOldSelf)
    notImplemented(`the rule ${JSON.stringify(rule.rule)} (${why ?? 'optionalOldSelf'})`);
  const variables = { self, ...(comparesOld ? { oldSelf } : {}) };
  const field = rule.fieldPath ? `${path}${rule.fieldPath}`.replace(/^\./, '') : path;
  try {
    if (run(variables, budget) === true) return;
  } catch (error) {
    if (error instanceof CostExceeded || error instanceof BudgetSpent) {
      const why =
        error instanceof CostExceeded ? `'${error.message}': ${CALL_LIMIT}${rule.rule.trim()}` : error.message;
      const detail = `${JSON.stringify(schema.type ?? '')}: ${why}`;
      problems.push({ field: field || '<nil>', reason: 'FieldValueInvalid', detail });
      throw new NoMoreRules();
    }
    const text = (messageOf(error).split('\n')[0] ?? '').replace(/^No such key/, 'no such key');
    const detail = `${JSON.stringify(schema.type ?? '')}: ${text} evaluating rule: ${messageFor(rule, variables, budget)}`;
    problems.push({ field: field || '<nil>', reason: 'FieldValueInvalid', detail });
    return;
  }
  const shown = schema.type === 'object' || schema.type === 'array' || isJsonMap(value) ? '' : `${jsonText(value)}: `;
  const reason = rule.reason ?? 'FieldValueInvalid';
  const message = messageFor(rule, variables, budget);
  const bare = reason === 'FieldValueRequired' || reason === 'FieldValueForbidden';
  problems.push({ field: field || '<nil>', reason, detail: bare ? message : `${shown}${message}` });
}

const CALL_LIMIT = 'no further validation rules will be run due to call cost exceeds limit for rule: ';

function messageFor(
  { rule, message, messageExpression }: ValidationRule,
  variables: Record<string, unknown>,
  budget: RuleBudget,
): string {
  try {
    const made = messageExpression ? compile(messageExpression).run?.(variables, budget) : undefined;
    if (typeof made === 'string' && made.trim() !== '' && !made.includes('\n')) return made;
  } catch {} // as on a real server: `message` is used instead
  return message ?? `failed rule: ${rule.trim()}`;
}

interface Compiled {
  readonly run?: (variables: Record<string, unknown>, budget: RuleBudget) => unknown;
  /** The reason why the rule cannot be evaluated. */
  readonly why?: string;
}

const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true }).registerFunction(
  'string.matchesRe2(string): bool',
  (text: string, pattern: string) => {
    const compiled = goPattern(pattern) ?? unreadable(pattern);
    chargePattern(compiled.instructions, text.length);
    return compiled.test(text);
  },
);
const compiled = new Map<string, Compiled>();

/** The syntax tree of a rule. Throws the library's error for one that it cannot read. */
export const parseRule = (rule: string): ASTNode => environment.parse(rule).ast;

function compile(source: string): Compiled {
  const known = compiled.get(source);
  if (known) return known;
  const made = compileRule(source);
  if (compiled.size > 5_000) compiled.clear();
  compiled.set(source, made);
  return made;
}

function unreadable(pattern: string): never {
  throw new TypeError(patternProblem(pattern));
}

const MATCHES = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\.\s*matches\s*\(/g;

/** A rule that matches patterns with RE2, as Go does. */
function inRe2(source: string): string {
  return source.replaceAll(MATCHES, (_whole, literal?: string) => literal ?? '.matchesRe2(');
}

function compileRule(rule: string): Compiled {
  const source = inRe2(rule);
  try {
    const { valid, error } = environment.check(source);
    if (!valid) return { why: messageOf(error).split('\n')[0] ?? 'it cannot be read' };
    return { run: withCostLimit(environment.parse(source)) };
  } catch (error) {
    return { why: messageOf(error).split('\n')[0] ?? 'it cannot be read' };
  }
}

/**
 * A value as a rule sees it: integers are CEL ints unless the schema's type is number, times are timestamps, names are
 * escaped.
 */
function toCel(value: unknown, schema: JsonSchema | undefined): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && schema?.type !== 'number' ? BigInt(value) : value;
  if (typeof value === 'string')
    return schema?.format === 'date-time' || schema?.format === 'date' ? timeOf(value) : value;
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items));
  if (!isJsonMap(value)) return value;
  const others = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const name = schema?.properties ? escaped : (n: string) => n;
  return Object.fromEntries(
    Object.entries(value).map(([n, v]) => [name(n), toCel(v, own(schema?.properties, n) ?? others)]),
  );
}

function timeOf(text: string): unknown {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time;
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** A property name in a form that CEL can read. Source: apiserver cel EscapeName. */
export function escaped(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
