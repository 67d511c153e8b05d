import type { ASTNode } from '@marcbachmann/cel-js';
import { type CelFailure, celFailure, MISSING, typeNameOf } from './cel-values.ts';
import { type Frame, type NodeCompiler, placed, type Run } from './frame.ts';
import { entriesOf, KeyedMap, mapOf } from './keyed-map.ts';
import { isYes } from './operators.ts';
import { work, workOfMaking } from './work.ts';

/**
 * The macros with two variables: the index and the item of a list, or the key and the value of a map. Source: cel-go
 * ext/comprehensions.go.
 */

type Pair = readonly [key: unknown, value: unknown];
type Visit = (frame: Frame, visit: (pair: Pair) => boolean) => boolean;

/** `all` and `exists`. One decisive pair is enough, even if another one fails. */
export function pairQuantifier(
  compiler: NodeCompiler,
  receiver: ASTNode,
  [key, value, test]: readonly ASTNode[],
  decisive: boolean,
): Run {
  const overPairs = visitor(compiler, receiver);
  const { slot, run } = compiler.compileWithPair(nameOf(key), nameOf(value), test as ASTNode);
  return (frame) => {
    let fault: CelFailure | undefined;
    let isDecided = false;
    const hasPairs = overPairs(frame, (pair) => {
      bind(frame, slot, pair);
      try {
        isDecided = isYes(run(frame)) === decisive;
      } catch (error) {
        fault ??= placed(error, frame);
      }
      return isDecided;
    });
    if (!hasPairs) return false;
    if (fault && !isDecided) throw fault;
    return isDecided === decisive;
  };
}

/** `exists_one`: whether the test is true for one pair and no other. */
export function existsOnePair(compiler: NodeCompiler, receiver: ASTNode, args: readonly ASTNode[]): Run {
  const found = collectedPairs(compiler, receiver, [...args.slice(0, 3), args[2] as ASTNode]);
  return (frame) => found(frame)?.length === 1;
}

/** `transformList`: the results of the body for the pairs that pass the test. */
export function transformList(compiler: NodeCompiler, receiver: ASTNode, args: readonly ASTNode[]): Run {
  const made = collectedPairs(compiler, receiver, args);
  return (frame) => made(frame)?.map(([, result]) => result) ?? MISSING;
}

/** `transformMap`: a map with the same keys, and the results of the body as its values. */
export function transformMap(compiler: NodeCompiler, receiver: ASTNode, args: readonly ASTNode[]): Run {
  const made = collectedPairs(compiler, receiver, args);
  return (frame) => {
    const pairs = made(frame);
    return pairs ? mapOf(pairs) : MISSING;
  };
}

/** `transformMapEntry`: a map of the entries of all results, which are maps. Fails for a key that comes twice. */
export function transformMapEntry(compiler: NodeCompiler, receiver: ASTNode, args: readonly ASTNode[]): Run {
  const made = collectedPairs(compiler, receiver, args);
  return (frame) => {
    const pairs = made(frame);
    if (!pairs) return MISSING;
    frame.at = receiver.pos;
    const entries = pairs.flatMap(
      ([, result]) => entriesOf(result) ?? celFailure(`expected a map, got ${typeNameOf(result)}`),
    );
    return new KeyedMap(entries).size === entries.length ? mapOf(entries) : celFailure('two entries have the same key');
  };
}

/** The keys and results for the pairs that pass the test. Missing results are left out. */
function collectedPairs(
  compiler: NodeCompiler,
  receiver: ASTNode,
  [key, value, ...bodies]: readonly ASTNode[],
): (frame: Frame) => Pair[] | undefined {
  const overPairs = visitor(compiler, receiver);
  const compiled = bodies.map((body) => compiler.compileWithPair(nameOf(key), nameOf(value), body));
  const made = compiled.at(-1) as { slot: number; run: Run };
  const test = compiled.length === 2 ? compiled[0] : undefined;
  return (frame) => {
    const out: Pair[] = [];
    const hasPairs = overPairs(frame, (pair) => {
      bind(frame, made.slot, pair);
      if (test && !isYes(test.run(frame))) return false;
      const result = made.run(frame);
      if (result !== MISSING) out.push([pair[0], result]);
      return false;
    });
    return hasPairs ? out : undefined;
  };
}

/** Visits the pairs until a visit returns true. Returns false for null and a missing value, which have no pairs. */
function visitor(compiler: NodeCompiler, receiver: ASTNode): Visit {
  const over = compiler.compile(receiver);
  return (frame, visit) => {
    const value = over(frame);
    if (value === MISSING || value === null) return false;
    frame.at = receiver.pos;
    for (const pair of pairsOf(value)) {
      frame.at = receiver.pos;
      work(1);
      if (visit(pair)) break;
    }
    return true;
  };
}

function pairsOf(value: unknown): Iterable<Pair> {
  if (Array.isArray(value)) return value.entries();
  const pairs = entriesOf(value) ?? celFailure(`${typeNameOf(value)} has no items`);
  workOfMaking('list', pairs.length);
  return pairs;
}

function bind(frame: Frame, slot: number, [key, value]: Pair): void {
  frame.locals[slot] = key;
  frame.locals[slot + 1] = value;
}

const nameOf = (node: ASTNode | undefined) => String(node?.args);
