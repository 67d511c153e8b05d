import type { ASTNode } from '@marcbachmann/cel-js';
import { type Address, addressText, distinct, EACH } from '../../model/field-path.ts';
import { childrenOf } from './walk.ts';

/** The variables that hold an object. */
const OBJECTS = ['object', 'oldObject'];

/**
 * The fields of objects that an expression depends on: `.status.phase` for `object.status.phase == "Running"`, and
 * `.status.conditions[*].type` for `object.status.conditions.exists(c, c.type == "Ready")`.
 *
 * Left out are fields whose absence the expression itself handles: fields in `has(…)`, keys tested with `in`, fields
 * read with `?`, and all fields below those. An address ends before a computed key, because the key is not known.
 */
export function addressesRead(root: ASTNode): Address[] {
  const reader = new Reader();
  reader.read(root, new Map(OBJECTS.map((name) => [name, []])));
  const asked = reader.asked.map(addressText);
  return distinct(reader.needed).filter((address) => {
    return address.length > 0 && !address.some((_, i) => asked.includes(addressText(address.slice(0, i + 1))));
  });
}

/** A text with which an expression compares what is at an address, by `==`. */
export interface TextCompared {
  readonly address: Address;
  readonly text: string;
}

/**
 * The texts that an expression compares fields with: `.status.phase` and `Running` for `object.status.phase ==
 * "Running"`. Without `variables` the fields are those of objects; else those of the variables, with their names first.
 */
export function textsCompared(root: ASTNode, variables?: readonly string[]): TextCompared[] {
  const reader = new Reader();
  const scope: (readonly [string, Address])[] = variables
    ? variables.map((name) => [name, [name]])
    : OBJECTS.map((name) => [name, []]);
  reader.read(root, new Map(scope));
  return reader.compared.filter(({ address }) => address.length > 0);
}

type Scope = ReadonlyMap<string, Address | undefined>;
type Link = { readonly address: Address; readonly isOpen: boolean };

const OVER_ITEMS = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

class Reader {
  readonly needed: Address[] = [];
  readonly asked: Address[] = [];
  readonly compared: TextCompared[] = [];

  read(node: ASTNode, scope: Scope): void {
    if (node.op === '==') this.#compare(node.args, scope);
    const link = linkOf(node, scope);
    if (link) this.needed.push(link.address);
    if (node.op === 'call' && node.args[0] === 'has') this.#ask(linkOf(node.args[1][0] as ASTNode, scope));
    else if (node.op === 'in') this.#readMembership(node.args[0], node.args[1], scope);
    else if (node.op === 'rcall') this.#readCall(node, scope);
    else if (node.op === '.?' || node.op === '[?]') this.#readOptional(node, scope);
    else if (link) this.#readKeys(node, scope);
    else for (const child of childrenOf(node)) this.read(child, scope);
  }

  #compare([left, right]: readonly [ASTNode, ASTNode], scope: Scope): void {
    for (const [field, value] of [
      [left, right],
      [right, left],
    ] as const) {
      const link = linkOf(field, scope);
      if (link && !link.isOpen && value.op === 'value' && typeof value.args === 'string')
        this.compared.push({ address: link.address, text: value.args });
    }
  }

  #ask(link: Link | undefined): void {
    if (link) this.asked.push(link.address);
  }

  /** `"app" in object.metadata.labels` handles the absence of the label and of `labels`. */
  #readMembership(key: ASTNode, within: ASTNode, scope: Scope): void {
    const link = linkOf(within, scope);
    if (link && key.op === 'value' && typeof key.args === 'string') {
      this.asked.push(link.address, [...link.address, key.args]);
      return;
    }
    this.read(key, scope);
    this.read(within, scope);
  }

  #readOptional(node: Extract<ASTNode, { op: '.?' | '[?]' }>, scope: Scope): void {
    const [of, key] = node.args as [ASTNode, ASTNode | string];
    const link = linkOf(of, scope);
    const name =
      typeof key === 'string' ? key : key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
    if (link && name !== undefined) this.asked.push([...link.address, name]);
    this.read(of, scope);
    if (typeof key !== 'string') this.read(key, scope);
  }

  /** Reads a method call. A macro binds a name to the items of its receiver, so its body has a scope of its own. */
  #readCall(node: Extract<ASTNode, { op: 'rcall' }>, scope: Scope): void {
    const [name, receiver, args] = node.args;
    const [bound] = args;
    const isPair = args.length === 3 && name !== 'map';
    if (receiver.op === 'id' && receiver.args === 'cel' && bound?.op === 'id' && args.length === 3) {
      const [, value, body] = args as [ASTNode, ASTNode, ASTNode];
      this.read(value, scope);
      this.read(body, new Map([...scope, [String(bound.args), linkOf(value, scope)?.address]]));
      return;
    }
    this.read(receiver, scope);
    if (isPair || !OVER_ITEMS.has(name) || bound?.op !== 'id' || args.length < 2) {
      for (const arg of args) this.read(arg, scope);
      return;
    }
    const over = linkOf(receiver, scope);
    const items: Address | undefined = over && !over.isOpen ? [...over.address, EACH] : undefined;
    const inner = new Map<string, Address | undefined>([...scope, [String(bound.args), items]]);
    for (const arg of args.slice(1)) this.read(arg, inner);
  }

  /** Reads the computed keys within a chain of fields: `object.metadata.labels[object.spec.key]`. */
  #readKeys(node: ASTNode, scope: Scope): void {
    for (let at: ASTNode | undefined = node; at && (at.op === '.' || at.op === '[]'); at = at.args[0]) {
      if (at.op === '[]' && at.args[1].op !== 'value') this.read(at.args[1], scope);
    }
  }
}

/**
 * The address of a node that is a chain of fields from an object or from a bound item; undefined for any other node.
 * `isOpen` means that the chain has a computed key, before which the address ends.
 */
function linkOf(node: ASTNode, scope: Scope): Link | undefined {
  if (node.op === 'id') {
    const address = scope.get(node.args);
    return address && { address, isOpen: false };
  }
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const of = linkOf(node.args[0], scope);
  if (!of || of.isOpen) return of;
  if (node.op === '.') return { address: [...of.address, node.args[1]], isOpen: false };
  const key = node.args[1];
  if (key.op !== 'value') return { address: of.address, isOpen: true };
  return { address: [...of.address, typeof key.args === 'string' ? key.args : EACH], isOpen: false };
}
