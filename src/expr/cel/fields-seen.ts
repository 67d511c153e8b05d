import type { ASTNode } from '@marcbachmann/cel-js';
import { type Address, distinct, EACH } from '../../model/field-path.ts';
import type { CelProgram } from './cel.ts';
import { childrenOf } from './walk.ts';

/** Where in the object the names of an expression are. Other names hold something else. */
type Scope = ReadonlyMap<string, Address>;

/** A chain of fields. `isWhole`: the rest of the chain is not known, so that all below the address may be read. */
interface Chain {
  readonly address: Address;
  readonly isWhole: boolean;
}

/** The variables that hold an object. */
const OBJECTS = ['object', 'oldObject'];

/** Macros over the items of their receiver that give each a name. */
const OVER_ITEMS = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

/**
 * All fields that a program may look at: an object with these fields alone gives the same result. An address that ends
 * in {@link EACH} of a macro says that the number of items, or the keys, are looked at. Undefined if the program looks
 * at whole objects. Other than {@link addressesRead}, also fields whose absence the expression handles.
 */
export function fieldsSeen({ ast }: Pick<CelProgram, 'ast'>): readonly Address[] | undefined {
  const seen: Address[] = [];
  look(ast, new Map(OBJECTS.map((name) => [name, []])), seen);
  return seen.some(([first]) => first === undefined || first === EACH) ? undefined : distinct(seen);
}

function look(node: ASTNode, scope: Scope, seen: Address[]): void {
  const chain = chainOf(node, scope);
  if (chain) {
    seen.push(chain.address);
    lookAtKeys(node, scope, seen);
  } else if (node.op === 'rcall') lookAtCall(node, scope, seen);
  else for (const child of childrenOf(node)) look(child, scope, seen);
}

function lookAtCall(node: Extract<ASTNode, { op: 'rcall' }>, scope: Scope, seen: Address[]): void {
  const [name, receiver, args] = node.args;
  const [bound, ...bodies] = args as ASTNode[];
  const isPair = bodies.length === 2 && name !== 'map'; // binds two names: all below the receiver counts as seen
  const isMacro = OVER_ITEMS.has(name) && bound?.op === 'id' && bodies.length > 0 && !isPair;
  const over = isMacro ? chainOf(receiver, scope) : undefined;
  if (!isMacro || !over || over.isWhole) {
    for (const child of childrenOf(node)) look(child, scope, seen);
    return;
  }
  const items: Address = [...over.address, EACH];
  seen.push(name === 'filter' ? items : [...items, NOTHING]); // what is filtered may be looked at afterwards
  lookAtKeys(receiver, scope, seen);
  for (const body of bodies) look(body, new Map([...scope, [String(bound.args), items]]), seen);
}

/** A name that no field has: of the items, nothing but their number is looked at. */
const NOTHING = '';

/** The chain of fields that a node is, from the object or from an item; undefined for any other node. */
function chainOf(node: ASTNode, scope: Scope): Chain | undefined {
  if (node.op === 'id') {
    const address = scope.get(node.args);
    return address && { address, isWhole: false };
  }
  if (node.op !== '.' && node.op !== '[]' && node.op !== '.?' && node.op !== '[?]') return undefined;
  const [of, key] = node.args as [ASTNode, ASTNode | string];
  const chain = chainOf(of, scope);
  if (!chain || chain.isWhole) return chain;
  if (typeof key === 'string') return { address: [...chain.address, key], isWhole: false };
  if (key.op !== 'value') return { ...chain, isWhole: true };
  return { address: [...chain.address, typeof key.args === 'string' ? key.args : EACH], isWhole: false };
}

/** Looks at the computed keys within a chain: `object.metadata.labels[object.spec.key]`. */
function lookAtKeys(node: ASTNode, scope: Scope, seen: Address[]): void {
  for (let at: ASTNode | undefined = node; at && at.op !== 'id'; ) {
    const [of, key] = at.args as [ASTNode, ASTNode | string];
    if (typeof key === 'object' && key.op !== 'value') look(key, scope, seen);
    at = of;
  }
}
