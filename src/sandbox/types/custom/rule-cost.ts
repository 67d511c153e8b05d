import type { Environment } from '@marcbachmann/cel-js';

type Rule = ReturnType<Environment['parse']>;
type Run = (variables: Record<string, unknown>) => unknown;

/** The cost limit of one evaluation of a rule. Source: apiserver pkg/apis/cel config.go PerCallLimit. */
const MOST_COST = 1_000_000;
/** The cost of one character of text, in list items. Source: apiserver cel, common.StringTraversalCostFactor. */
const TEXT_FACTOR = 0.1;
/** The cost of an error, in list items: `exists` and `||` continue after one. */
const ERROR_COST = 25;

/** Thrown when a rule costs more than {@link MOST_COST}. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded';

  constructor() {
    super('call cost exceeds limit');
  }
}

/** The part of a syntax tree node of the CEL library that this file uses. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  evaluate: (evaluator: unknown, node: unknown, context: unknown) => unknown;
}

/**
 * A rule whose evaluation ends, however deep its loops are nested. Iterations, calls on text, and joins of texts and
 * lists cost what they read. Beyond the limit every further list is empty, so that all loops end soon, and the
 * evaluation throws {@link CostExceeded}.
 */
export function withCostLimit(rule: Rule): Run {
  let left = MOST_COST;
  const charge = (value: unknown): unknown => {
    left -= costOf(value);
    if (left >= 0) return value;
    if (typeof value === 'string') throw new CostExceeded();
    return Array.isArray(value) ? [] : typeof value === 'object' && value !== null ? {} : value;
  };
  const failed = () => {
    left -= ERROR_COST;
  };
  rule.check();
  const nodes = [...nodesIn(rule.ast)];
  const receivers = new Set(nodes.filter(({ op }) => op === 'rcall').map(({ args }) => (args as [string, Node])[1]));
  for (const node of nodes) charged(node, node.op === '+' || receivers.has(node) ? charge : asItIs, failed);
  return (variables) => {
    left = MOST_COST;
    try {
      const result = rule(variables);
      if (left >= 0) return result;
    } catch (error) {
      if (left >= 0) throw error;
    }
    throw new CostExceeded();
  };
}

/**
 * Charges the evaluation of a node. The library replaces a node's `evaluate` at its first evaluation; the charge is
 * then put around it again.
 */
function charged(node: Node, charge: (value: unknown) => unknown, failed: () => void): void {
  let { evaluate } = node;
  const charging: Node['evaluate'] = (evaluator, self, context) => {
    try {
      return charge(evaluate.call(node, evaluator, self, context));
    } catch (error) {
      failed();
      throw error;
    } finally {
      if (node.evaluate !== charging) {
        evaluate = node.evaluate;
        node.evaluate = charging;
      }
    }
  };
  node.evaluate = charging;
}

const asItIs = (value: unknown) => value;

function costOf(value: unknown): number {
  if (typeof value === 'string') return value.length * TEXT_FACTOR;
  if (Array.isArray(value))
    return value.reduce((sum: number, item: unknown) => sum + 1 + (typeof item === 'string' ? costOf(item) : 0), 1);
  if (value instanceof Map) return value.size + 1;
  return typeof value === 'object' && value !== null ? Object.keys(value).length + 1 : 0;
}

/** Every node of a tree. */
function* nodesIn(part: unknown, seen: Set<unknown> = new Set()): Generator<Node> {
  if (typeof part !== 'object' || part === null || seen.has(part)) return;
  seen.add(part);
  if (isNode(part)) yield part;
  for (const inner of Object.values(part)) yield* nodesIn(inner, seen);
}

function isNode(part: object): part is Node {
  return 'op' in part && 'evaluate' in part && typeof part.evaluate === 'function';
}
