import type { ASTNode } from '@marcbachmann/cel-js';
import { type CelFailure, celFailure, Duration, isMap, MISSING, Optional, typeNameOf } from './cel-values.ts';
import { type Frame, type Node, type NodeCompiler, placed, type Run } from './frame.ts';
import { entriesOf } from './keyed-map.ts';
import { isYes } from './operators.ts';
import { existsOnePair, pairQuantifier, transformList, transformMap, transformMapEntry } from './pair-macros.ts';
import { mapOptional, sortBy } from './value-macros.ts';
import { work, workOfMaking } from './work.ts';

type Call = Node<'call' | 'rcall'>;
type Build = (compiler: NodeCompiler, receiver: ASTNode, args: readonly ASTNode[]) => Run;

/** Whether a call is a macro, whose arguments are not simply evaluated. */
export function isMacro(node: Call): boolean {
  return buildOf(node) !== undefined;
}

/** Compiles a macro: `has`, `exists`, `map`, `cel.bind`, `optional.of` and so on. */
export function compileMacro(compiler: NodeCompiler, node: Call): Run {
  if (node.op === 'call') return has(compiler, node.args[1][0] as ASTNode);
  const [, receiver, args] = node.args;
  return (buildOf(node) as Build)(compiler, receiver, args);
}

function buildOf(node: Call): Build | undefined {
  if (node.op === 'call') return node.args[0] === 'has' ? has : undefined;
  const [name, receiver, args] = node.args;
  const space = receiver.op === 'id' ? receiver.args : '';
  if (space === 'cel' || space === 'optional') return NAMED[`${space}.${name}`];
  if (args.length < 2 || args[0]?.op !== 'id') return undefined;
  const isPair = args.length > 2 && args[1]?.op === 'id';
  return (isPair ? OVER_PAIRS[`${name}/${args.length}`] : undefined) ?? OVER_ITEMS[`${name}/${args.length}`];
}

const NAMED: Readonly<Record<string, Build>> = {
  'cel.bind': (compiler, _, [name, value, body]) => bind(compiler, nameOf(name), value as ASTNode, body as ASTNode),
  'optional.none': () => () => NONE,
  'optional.ofNonZeroValue': (compiler, _, [value]) => {
    const run = compiler.compile(value as ASTNode);
    return (frame) => {
      const given = run(frame);
      return isZero(given) ? NONE : new Optional(given);
    };
  },
  'optional.of': (compiler, _, [value]) => {
    const run = compiler.compile(value as ASTNode);
    return (frame) => new Optional(run(frame));
  },
};

/** Whether a value is the zero of its type, as a field has it that was never set. */
function isZero(value: unknown): boolean {
  if (isMap(value)) return Object.keys(value).length === 0;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  return value === null || value === MISSING || value === '' || value === false || value === 0;
}

const NONE = new Optional(MISSING);

const OVER_ITEMS: Readonly<Record<string, Build>> = {
  'all/2': (compiler, receiver, args) => quantifier(compiler, receiver, args, false),
  'exists/2': (compiler, receiver, args) => quantifier(compiler, receiver, args, true),
  'exists_one/2': existsOne,
  'filter/2': (compiler, receiver, [name, test]) => collect(compiler, receiver, nameOf(name), test, undefined),
  'optMap/2': (compiler, receiver, args) => mapOptional(compiler, receiver, args, false),
  'optFlatMap/2': (compiler, receiver, args) => mapOptional(compiler, receiver, args, true),
  'sortBy/2': sortBy,
  'map/2': (compiler, receiver, [name, body]) => collect(compiler, receiver, nameOf(name), undefined, body),
  'map/3': (compiler, receiver, [name, test, body]) => collect(compiler, receiver, nameOf(name), test, body),
};

const OVER_PAIRS: Readonly<Record<string, Build>> = {
  'all/3': (compiler, receiver, args) => pairQuantifier(compiler, receiver, args, false),
  'exists/3': (compiler, receiver, args) => pairQuantifier(compiler, receiver, args, true),
  'exists_one/3': existsOnePair,
  'existsOne/3': existsOnePair,
  'transformList/3': transformList,
  'transformList/4': transformList,
  'transformMap/3': transformMap,
  'transformMap/4': transformMap,
  'transformMapEntry/3': transformMapEntry,
  'transformMapEntry/4': transformMapEntry,
};

const nameOf = (node: ASTNode | undefined) => String(node?.args);

function has(compiler: NodeCompiler, field: ASTNode): Run {
  return compiler.compilePresence(field);
}

function bind(compiler: NodeCompiler, name: string, value: ASTNode, body: ASTNode): Run {
  const compute = compiler.compile(value);
  const { slot, run } = compiler.compileWith(name, body);
  return (frame) => {
    frame.locals[slot] = compute(frame);
    return run(frame);
  };
}

/** `exists` or `all`. One true item decides `exists` and one false item decides `all`, even if another item fails. */
function quantifier(
  compiler: NodeCompiler,
  receiver: ASTNode,
  [name, test]: readonly ASTNode[],
  decisive: boolean,
): Run {
  const over = compiler.compile(receiver);
  const { slot, run } = compiler.compileWith(nameOf(name), test as ASTNode);
  return (frame) => {
    const items = itemsOf(over(frame), frame, receiver.pos);
    if (!items) return false;
    let fault: CelFailure | undefined;
    for (const item of items) {
      step(frame, receiver.pos);
      frame.locals[slot] = item;
      try {
        if (isYes(run(frame)) === decisive) return decisive;
      } catch (error) {
        fault ??= placed(error, frame);
      }
    }
    if (fault) throw fault;
    return !decisive;
  };
}

function existsOne(compiler: NodeCompiler, receiver: ASTNode, [name, test]: readonly ASTNode[]): Run {
  const found = collect(compiler, receiver, nameOf(name), test, undefined);
  return (frame) => {
    const items = found(frame);
    return Array.isArray(items) && items.length === 1;
  };
}

/**
 * `filter` or `map`: the items that pass the test, or the results of the body for them. Missing values are left out.
 */
function collect(
  compiler: NodeCompiler,
  receiver: ASTNode,
  name: string,
  test: ASTNode | undefined,
  body: ASTNode | undefined,
): Run {
  const over = compiler.compile(receiver);
  const passes = test && compiler.compileWith(name, test);
  const made = body && compiler.compileWith(name, body);
  const slot = (passes ?? made)?.slot ?? 0;
  return (frame) => {
    const items = itemsOf(over(frame), frame, receiver.pos);
    if (!items) return MISSING;
    const out: unknown[] = [];
    for (const item of items) {
      step(frame, receiver.pos);
      frame.locals[slot] = item;
      if (passes && !isYes(passes.run(frame))) continue;
      const value = made ? made.run(frame) : item;
      if (value !== MISSING) out.push(value);
    }
    return out;
  };
}

/** The items of a list or the keys of a map; undefined for null and a missing value. Fails for any other value. */
function itemsOf(value: unknown, frame: Frame, at: number): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === MISSING || value === null) return undefined;
  frame.at = at;
  const keys = entriesOf(value)?.map(([key]) => key);
  if (!keys) return celFailure(`${typeNameOf(value)} has no items`);
  workOfMaking('list', keys.length);
  return keys;
}

function step(frame: Frame, at: number): void {
  frame.at = at;
  work(1);
}
