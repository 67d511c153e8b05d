import { type ASTNode, serialize } from '@marcbachmann/cel-js';
import { FieldSelector } from '../../model/field-selector.ts';
import { type LabelRequirement, LabelSelector } from '../../model/label-selector.ts';
import type { CelProgram } from './cel.ts';
import { operandsOf } from './compile.ts';

/** An expression in two parts: selectors for the server, and the rest for here. */
export interface PushDown {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The conditions that the selectors express, as CEL. */
  readonly pushed: readonly string[];
  /** The conditions that remain to be evaluated here, as CEL; '' if there are none. */
  readonly local: string;
}

/**
 * Finds the conditions of a program's top-level `&&` that label and field selectors can express.
 *
 * The selectors accept every object that the program accepts, and the selectors together with `local` accept no other.
 * So a condition leaves `local` only if its selector means exactly the same. Among fields that is true only for names
 * and namespaces: for other fields a server may treat an absent field as '', and a number as its text. Conditions on
 * `oldObject`, `event` and `now` are never sent; conditions on labels are not sent with `labels: false`.
 */
export function pushDown(
  program: CelProgram,
  { supportedFields, labels: withLabels = true }: { supportedFields: ReadonlySet<string>; labels?: boolean },
): PushDown {
  const conditions = operandsOf(program.ast, '&&').map((node) => ({
    node,
    sent: selectorOf(node, supportedFields, withLabels),
  }));
  const labels = conditions.flatMap(({ sent }) => sent?.labels ?? []);
  const fields = conditions.flatMap(({ sent }) => sent?.fields ?? []);
  return {
    ...(labels.length > 0 && { labelSelector: LabelSelector.of(labels).toString() }),
    ...(fields.length > 0 && { fieldSelector: FieldSelector.of(fields).toString() }),
    pushed: conditions.filter(({ sent }) => sent).map(({ node }) => serialize(node)),
    local: conditions
      .filter(({ sent }) => !sent?.isExact)
      .map(({ node }) => (node.op === '||' || node.op === '?:' ? `(${serialize(node)})` : serialize(node)))
      .join(' && '),
  };
}

/**
 * Texts that are in the JSON of every object that the program accepts, as `"web-1"` with its quotes: for a search that
 * looks for them before it decodes. Empty where none is known. The kind of an object need not be in its JSON.
 */
export function requiredTexts({ ast }: CelProgram): string[] {
  return operandsOf(ast, '&&').flatMap((node) => {
    const found = singleOf(choiceOf(node));
    const isInside = found !== undefined && found.path[0] !== 'kind' && found.path[0] !== 'apiVersion';
    return isInside && typeof found.value === 'string' && PLAIN.test(found.value) ? [`"${found.value}"`] : [];
  });
}

/** Characters that JSON writes in one way only, unless it escapes what needs no escape. */
const PLAIN = /^[\w.:@ -]+$/;

interface Sent {
  readonly labels?: readonly LabelRequirement[];
  readonly fields?: readonly { field: string; operator: '=' | '!='; value: string }[];
  /** Whether the selector means exactly the same as the condition. */
  readonly isExact: boolean;
}

function selectorOf(node: ASTNode, supported: ReadonlySet<string>, withLabels: boolean): Sent | undefined {
  const labels = withLabels ? labelsOf(node) : undefined;
  if (labels) return isSendable(labels) ? { labels, isExact: true } : undefined;
  return fieldOf(node, supported);
}

/** Whether the text of the selector parses to the same requirements. If not, the server would read others. */
function isSendable(labels: readonly LabelRequirement[]): boolean {
  try {
    const again = LabelSelector.parse(LabelSelector.of(labels).toString()).requirements;
    return JSON.stringify(again.map(sorted)) === JSON.stringify(labels.map(sorted));
  } catch {
    return false;
  }
}

const sorted = ({ key, operator, values }: LabelRequirement) => ({ key, operator, values: [...values].sort() });

function labelsOf(node: ASTNode): LabelRequirement[] | undefined {
  if (node.op === '!_') {
    const negated = labelOf(node.args);
    return negated && [{ ...negated, operator: NEGATED[negated.operator] ?? '!' }];
  }
  if (node.op === '!=') {
    const found = comparisonOf(node);
    const key = found && labelKeyOf(found.path);
    if (key === undefined || typeof found?.value !== 'string') return undefined;
    return [
      { key, operator: 'exists', values: [] },
      { key, operator: '!=', values: [found.value] },
    ];
  }
  const one = labelOf(node);
  return one && [one];
}

const NEGATED: Readonly<Partial<Record<LabelRequirement['operator'], LabelRequirement['operator']>>> = {
  '=': '!=',
  in: 'notin',
  exists: '!',
};

/** The requirement for a condition that is true only if the label is present. */
function labelOf(node: ASTNode): LabelRequirement | undefined {
  const key = presentLabelOf(node);
  if (key !== undefined) return { key, operator: 'exists', values: [] };
  const choice = choiceOf(node);
  const label = choice && labelKeyOf(choice.path);
  if (label === undefined || !choice?.values.every((value) => typeof value === 'string')) return undefined;
  const values = [...new Set(choice.values as string[])];
  return { key: label, operator: values.length === 1 ? '=' : 'in', values };
}

/** The key of the label whose presence a condition tests: `has(object.metadata.labels.app)`, `"app" in …labels`. */
function presentLabelOf(node: ASTNode): string | undefined {
  if (node.op === 'call' && node.args[0] === 'has') return labelKeyOf(pathOf(node.args[1][0]));
  if (node.op !== 'in' || node.args[0].op !== 'value' || typeof node.args[0].args !== 'string') return undefined;
  return labelKeyOf([...(pathOf(node.args[1]) ?? []), node.args[0].args]);
}

interface Choice {
  readonly path: readonly string[];
  readonly values: readonly unknown[];
}

/** `a == x`, `a in [x, y]` and `a == x || a == y` as the values that one path may have. */
function choiceOf(node: ASTNode): Choice | undefined {
  if (node.op === '||') return unionOf(operandsOf(node, '||').map(choiceOf));
  if (node.op === '==') {
    const found = comparisonOf(node);
    return found && { path: found.path, values: [found.value] };
  }
  if (node.op !== 'in' || node.args[1].op !== 'list' || node.args[1].args.length === 0) return undefined;
  const path = pathOf(node.args[0]);
  const values = node.args[1].args.map(literalOf);
  return path && !values.includes(undefined) ? { path, values } : undefined;
}

function unionOf(choices: readonly (Choice | undefined)[]): Choice | undefined {
  const [first] = choices;
  if (!first || !choices.every((choice) => choice?.path.join('\0') === first.path.join('\0'))) return undefined;
  return { path: first.path, values: choices.flatMap((choice) => choice?.values ?? []) };
}

/** A comparison of a path of `object` with a literal, in either order. */
function comparisonOf({
  args: [left, right],
}: Extract<ASTNode, { op: '==' | '!=' }>): { path: string[]; value: unknown } | undefined {
  const path = pathOf(left) ?? pathOf(right);
  const value = pathOf(left) ? literalOf(right) : literalOf(left);
  return path && value !== undefined ? { path, value } : undefined;
}

function literalOf(node: ASTNode): unknown {
  if (node.op !== 'value') return undefined;
  const value = node.args;
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint' ? value : undefined;
}

/** The keys below `object` in `object.a.b` or `object.a["b"]`. */
function pathOf(node: ASTNode | undefined): string[] | undefined {
  const keys: string[] = [];
  let rest = node;
  while (rest?.op === '.' || rest?.op === '[]') {
    const key = rest.op === '.' ? rest.args[1] : literalOf(rest.args[1]);
    if (typeof key !== 'string') return undefined;
    keys.unshift(key);
    rest = rest.args[0];
  }
  return rest?.op === 'id' && rest.args === 'object' && keys.length > 0 ? keys : undefined;
}

function labelKeyOf(path: readonly string[] | undefined): string | undefined {
  return path?.length === 3 && path[0] === 'metadata' && path[1] === 'labels' ? path[2] : undefined;
}

/** Fields that every object has, as a string. */
const EXACT = ['metadata.name', 'metadata.namespace'];

function fieldOf(node: ASTNode, supported: ReadonlySet<string>): Sent | undefined {
  const found = node.op === '!=' ? comparisonOf(node) : singleOf(choiceOf(node));
  const field = found?.path.join('.') ?? '';
  if (!found || !supported.has(field) || found.value === '') return undefined;
  if (node.op === '!=' && !isTextOnly(found.value)) return undefined;
  const isExact = EXACT.includes(field) && typeof found.value === 'string' && node.op !== '!=';
  return { fields: [{ field, operator: node.op === '!=' ? '!=' : '=', value: String(found.value) }], isExact };
}

/**
 * Whether a server compares a value as CEL does in `!=`: it takes the number 3 for the text "3", and would leave out
 * objects that differ in the type.
 */
const isTextOnly = (value: unknown) => typeof value === 'string' && !/^(?:true|false|-?\d+)$/.test(value);

function singleOf(choice: Choice | undefined): { path: readonly string[]; value: unknown } | undefined {
  return choice && new Set(choice.values).size === 1 ? { path: choice.path, value: choice.values[0] } : undefined;
}
