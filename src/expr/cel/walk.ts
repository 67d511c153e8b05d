import type { ASTNode } from '@marcbachmann/cel-js';

/** The nodes directly below a node. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  return [node.args].flat(3).filter((arg): arg is ASTNode => typeof arg === 'object' && arg !== null && 'op' in arg);
}

/** The literal keys that an expression reads of a variable, in order: `a` and `b` in `cells["a"] == cells.b`. */
export function keysRead(root: ASTNode, variable: string): string[] {
  const keys: string[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    const [of, key] = node.op === '[]' || node.op === '.' ? node.args : [];
    if (of?.op === 'id' && of.args === variable) keys.push(...keyOf(key));
    open.push(...childrenOf(node));
  }
  return keys.reverse();
}

function keyOf(key: ASTNode | string | undefined): string[] {
  if (typeof key === 'string') return [key];
  return key?.op === 'value' && typeof key.args === 'string' ? [key.args] : [];
}

/** Whether an expression reads anything of a variable beside one key. */
export function readsBeyond(node: ASTNode, variable: string, key: string): boolean {
  if (node.op === 'id') return node.args === variable;
  const [of, at] = node.op === '[]' || node.op === '.' ? node.args : [];
  if (of?.op === 'id' && of.args === variable && keyOf(at).includes(key)) return false;
  return childrenOf(node).some((child) => readsBeyond(child, variable, key));
}

export function calls(root: ASTNode, name: string): boolean {
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.op === 'call' && node.args[0] === name) return true;
    open.push(...childrenOf(node));
  }
  return false;
}
