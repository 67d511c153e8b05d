import type { ASTNode } from '@marcbachmann/cel-js';
import { celFailure, MISSING, Optional, typeNameOf } from './cel-values.ts';
import type { NodeCompiler, Run } from './frame.ts';
import { asList } from './function.ts';
import { order } from './operators.ts';
import { work } from './work.ts';

/** `optMap` and `optFlatMap`: the body for the value of an optional. The body of `optFlatMap` gives an optional. */
export function mapOptional(
  compiler: NodeCompiler,
  receiver: ASTNode,
  [name, body]: readonly ASTNode[],
  isFlat: boolean,
): Run {
  const of = compiler.compile(receiver);
  const { slot, run } = compiler.compileWith(String(name?.args), body as ASTNode);
  return (frame) => {
    const given = of(frame);
    frame.at = receiver.pos;
    if (given === MISSING) return MISSING;
    if (!(given instanceof Optional)) return celFailure(`expected an optional (a.?b), got ${typeNameOf(given)}`);
    if (given.value === MISSING) return given;
    frame.locals[slot] = given.value;
    const made = run(frame);
    return isFlat && made !== MISSING ? made : new Optional(made);
  };
}

/** `sortBy`: the items in the order of what the body gives for each. Source: cel-go ext/lists.go. */
export function sortBy(compiler: NodeCompiler, receiver: ASTNode, [name, body]: readonly ASTNode[]): Run {
  const of = compiler.compile(receiver);
  const { slot, run } = compiler.compileWith(String(name?.args), body as ASTNode);
  return (frame) => {
    const items = of(frame);
    if (items === MISSING) return MISSING;
    frame.at = receiver.pos;
    const keyed = asList(items).map((item) => {
      work(1);
      frame.locals[slot] = item;
      return { item, key: run(frame) };
    });
    frame.at = receiver.pos;
    return keyed
      .filter(({ key }) => key !== MISSING)
      .sort((a, b) => order(a.key, b.key))
      .map(({ item }) => item);
  };
}
