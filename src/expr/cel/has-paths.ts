import type { ASTNode } from '@marcbachmann/cel-js';
import { childrenOf } from './walk.ts';

interface Checker {
  check(node: ASTNode, context: unknown): unknown;
  getType(name: string): unknown;
}

interface HasMacro {
  typeCheck(checker: Checker, macro: unknown, context: unknown): unknown;
}

/**
 * Makes the type checker accept `has()` of a field of any value, as CEL does: `has(object.spec.containers[0].ports)`.
 * The library accepts names with dots only. Call it between parsing and checking.
 */
export function acceptPaths(root: ASTNode): void {
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    open.push(...childrenOf(node));
    const [field] = node.op === 'call' && node.args[0] === 'has' ? node.args[1] : [];
    const { macro } = (node as unknown as { meta: { macro?: HasMacro } }).meta;
    if (field?.op !== '.' || !macro) continue;
    macro.typeCheck = (checker, _, context) => {
      checker.check(field, context);
      return checker.getType('bool');
    };
  }
}
