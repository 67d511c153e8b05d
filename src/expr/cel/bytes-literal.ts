import type { Node } from './frame.ts';

/**
 * The bytes of a literal such as `b"é\\xff"`: a character is its UTF-8, an escape of a number is one byte. The library
 * parses a character as one byte, so a literal with characters beyond ASCII is read again here.
 */
export function bytesOf(node: Node<'value'>): Uint8Array {
  const literal = String((node as { input?: unknown }).input).slice(node.start, node.end);
  return /[^\0-\x7f]/.test(literal) ? Buffer.concat(partsOf(literal)) : (node.args as Uint8Array);
}

function partsOf(literal: string): Buffer[] {
  const quotes = /^[bB]("""|'''|["'])/.exec(literal)?.[1] ?? '"';
  const inner = literal.slice(1 + quotes.length, -quotes.length);
  return Array.from(inner.matchAll(PART), ([part, hex, octal, letter]) => {
    if (hex !== undefined) return Buffer.of(Number.parseInt(hex, 16));
    if (octal !== undefined) return Buffer.of(Number.parseInt(octal, 8));
    return Buffer.from(letter === undefined ? part : (ESCAPES[letter] ?? letter));
  });
}

const PART = /\\[xX]([0-9a-fA-F]{2})|\\([0-7]{3})|\\(.)|[^\\]/gsu;

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
