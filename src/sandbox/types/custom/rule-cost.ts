import type { Environment } from '@marcbachmann/cel-js';

type Rule = ReturnType<Environment['parse']>;
type Run = (variables: Record<string, unknown>, budget: RuleBudget) => unknown;

/** The cost limit of one evaluation of a rule. Source: apiserver pkg/apis/cel config.go PerCallLimit. */
const MOST_COST = 1_000_000;
/** The cost limit of all rules of a request. Source: apiserver pkg/apis/cel config.go RuntimeCELCostBudget. */
const MOST_COST_OF_REQUEST = 10_000_000;
/** The instructions of a pattern, times the characters that it is tried on, that cost as much as a list item. */
const INSTRUCTIONS = 50;
/** The cost of one character of text, in list items. Source: apiserver cel, common.StringTraversalCostFactor. */
const TEXT_FACTOR = 0.1;
/** The cost of an error, in list items: `exists` and `||` continue after one. */
const ERROR_COST = 25;

/** Thrown when a rule costs more than {@link MOST_COST}. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** Thrown when all rules of a request together cost more than {@link MOST_COST_OF_REQUEST}. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';

  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** The cost that the rules of one request may still have. */
export class RuleBudget {
  #left = MOST_COST_OF_REQUEST;

  /** Every evaluation costs something. */
  spend(cost: number): void {
    this.#left -= Math.max(1, cost);
    if (this.#left < 0) throw new BudgetSpent();
  }
}

/** The cost that the present evaluation may still have. An evaluation is never interrupted by another one. */
let left = 0;

/** Charges the match of a pattern before it is tried. */
export function chargePattern(instructions: number, length: number): void {
  left -= (instructions * length) / INSTRUCTIONS;
  if (left < 0) throw new CostExceeded();
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
  const charge =
    (cost: (value: unknown) => number) =>
    (value: unknown): unknown => {
      left -= cost(value);
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
  const searched = new Set(nodes.filter(({ op }) => op === 'in').map(({ args }) => (args as Node[])[1]));
  const compared = new Set(nodes.filter(({ op }) => op === '==' || op === '!=').flatMap(({ args }) => args as Node[]));
  const [shallow, search, deep] = [charge(costOf), charge(costOfSearch), charge(costOfWhole)];
  for (const node of nodes) {
    const isRead = node.op === '+' || receivers.has(node);
    const whole = compared.has(node) ? deep : searched.has(node) ? search : asItIs;
    charged(node, isRead ? shallow : whole, failed);
  }
  return (variables, budget) => {
    left = MOST_COST;
    let result: unknown;
    try {
      result = rule(variables);
    } catch (error) {
      if (left >= 0) {
        budget.spend(MOST_COST - left);
        throw error;
      }
    }
    if (left < 0) throw new CostExceeded();
    budget.spend(MOST_COST - left);
    return result;
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

/** The cost of `x in list`. A search in a map costs nothing. */
function costOfSearch(value: unknown): number {
  return Array.isArray(value) ? costOfWhole(value) : 0;
}

const wholes = new WeakMap<object, number>();

/** The cost of a value with all its parts, as a comparison reads it. */
function costOfWhole(value: unknown): number {
  if (typeof value !== 'object' || value === null) return costOf(value);
  let cost = wholes.get(value);
  if (cost === undefined) {
    const parts: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value);
    cost = 1;
    for (const part of parts) cost += 1 + costOfWhole(part);
    wholes.set(value, cost);
  }
  return cost;
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
