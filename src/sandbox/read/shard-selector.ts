import { messageOf } from '../../kit/error.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { shardHash } from '../../model/shard-hash.ts';
import { internal } from '../status/statuses.ts';
import { parseShardExpression, type ShardNode, ShardSyntaxError } from './shard-expression.ts';

/** A part of a collection. */
export interface ReadPart {
  keeps(object: ReadonlyObject): boolean;
  /** The fields by which the metadata of a list of whole objects names the part. */
  readonly listMeta: object;
}

/** A part of a collection by hash: the objects whose uid, or namespace, has its hash in one of the ranges. */
export interface ShardSelector {
  /** As a server repeats it in lists. */
  readonly text: string;
  matches(object: ReadonlyObject): boolean;
}

interface ShardRange {
  readonly field: ShardField;
  /** Hexadecimal digits, without `0x`. The start belongs to the range, the end does not. */
  readonly start: string;
  readonly end: string;
}

const FIELDS = ['object.metadata.uid', 'object.metadata.namespace'] as const;
type ShardField = (typeof FIELDS)[number];

/** 2^64, the end of the last range. It has a digit more than any hash. */
const ALL = '10000000000000000';

/** The part that `shardSelector` asks for; undefined: all. A real server answers one that it cannot read with 500. */
export function partOf(query: URLSearchParams): ReadPart | undefined {
  const asked = query.get('shardSelector') ?? '';
  if (asked === '') return undefined;
  try {
    const { text, matches } = parseShardSelector(asked);
    return { keeps: matches, listMeta: { shardInfo: { selector: text } } };
  } catch (error) {
    return internal(`invalid shard selector: ${messageOf(error)}`);
  }
}

/**
 * Reads `shardRange(object.metadata.uid, '0x…', '0x…')`, or several joined by `||`. Throws an Error with the server's
 * message. Source: apiserver pkg/sharding, checked against a kube-apiserver 1.36.
 */
export function parseShardSelector(text: string): ShardSelector {
  if (text.trim() === '')
    throw new Error('empty shard selector is not allowed; omit the parameter for unfiltered lists');
  const ranges = rangesOf(treeOf(text));
  const [{ field }] = ranges as [ShardRange];
  const other = ranges.find((range) => range.field !== field);
  if (other) {
    throw new Error(
      `all shard ranges must use the same field, got ${JSON.stringify(field)} and ${JSON.stringify(other.field)}`,
    );
  }
  return {
    text: ranges.map(({ start, end }) => `shardRange(${field}, '0x${start}', '0x${end}')`).join(' || '),
    matches({ metadata }) {
      const hash = shardHash((field === 'object.metadata.uid' ? metadata.uid : metadata.namespace) ?? '');
      return ranges.some(({ start, end }) => hash >= start && (end === ALL || hash < end));
    },
  };
}

function treeOf(text: string): ShardNode {
  try {
    return parseShardExpression(text);
  } catch (error) {
    if (!(error instanceof ShardSyntaxError)) throw error;
    throw new Error(`CEL parse error: Syntax error: ${error.message}`);
  }
}

/** Numbers of the kinds of CEL's expressions, as messages give them. */
const KINDS = { call: 1, name: 3, list: 4, text: 5, literal: 5, map: 6, select: 7 } as const;

const kindOf = (node: ShardNode) =>
  node.kind === 'path' ? KINDS[node.text.includes('.') ? 'select' : 'name'] : KINDS[node.kind];

function rangesOf(node: ShardNode): ShardRange[] {
  if (node.kind !== 'call')
    throw new Error(`unexpected expression kind ${kindOf(node)}; expected shardRange() call or || operator`);
  if (node.name === '_||_') return node.args.flatMap(rangesOf);
  if (node.name !== 'shardRange')
    throw new Error(`unsupported function ${JSON.stringify(node.name)}; only shardRange() and || are allowed`);
  const [path, from, to] = node.args;
  if (!path || !from || !to || node.args.length !== 3)
    throw new Error(`shardRange() requires exactly 3 arguments, got ${node.args.length}`);
  const field = fieldOf(path);
  const start = hexOf(from, 'hexStart');
  const end = hexOf(to, 'hexEnd');
  if (BigInt(`0x${start}`) >= BigInt(`0x${end}`))
    throw new Error(`shard range start 0x${start} must be less than end 0x${end}`);
  return [{ field, start, end }];
}

function fieldOf(node: ShardNode): ShardField {
  if (node.kind !== 'path') {
    throw new Error(
      `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kindOf(node)}`,
    );
  }
  const field = FIELDS.find((each) => each === node.text);
  if (field) return field;
  throw new Error(`unsupported field path ${JSON.stringify(node.text)}; supported: ${FIELDS.join(', ')}`);
}

const DIGITS = 16;

function hexOf(node: ShardNode, name: string): string {
  if (node.kind !== 'text')
    throw new Error(`${name} must be a string literal, got ${node.kind === 'literal' ? node.type : 'expression'}`);
  const { text } = node;
  if (!text.startsWith('0x')) throw new Error(`${name} must have '0x' prefix, got ${JSON.stringify(text)}`);
  const digits = text.slice(2);
  const wrong = /[^0-9a-f]/.exec(digits)?.[0];
  if (digits === '') throw new Error(`${name}: hex value is required after '0x'`);
  if (digits.length > ALL.length) {
    throw new Error(
      `${name}: hex value too long (${digits.length} chars, max ${ALL.length}): ${JSON.stringify(digits)}`,
    );
  }
  if (wrong !== undefined)
    throw new Error(`${name}: invalid hex character ${JSON.stringify(wrong)} in ${JSON.stringify(text)}`);
  if (digits.length === ALL.length && digits !== ALL)
    throw new Error(`${name}: 17-digit hex value must be '0x${ALL}' (2^64), got ${JSON.stringify(text)}`);
  if (digits.length < DIGITS) {
    throw new Error(
      `${name} must be a 0x-prefixed ${DIGITS}-digit hex value, got ${JSON.stringify(text)} (did you mean "0x${digits.padStart(DIGITS, '0')}"?)`,
    );
  }
  return digits;
}
