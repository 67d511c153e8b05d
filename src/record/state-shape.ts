import { findManagedFields, OF_OBJECT } from '../client/decode/managed-fields.ts';
import { endOfValue } from '../informer/compact/field-part.ts';
import type { MapDelta } from './delta.ts';

/**
 * The part of a recorded object that is read: all of it; `bare`, without its managedFields; or `metadata`, without its
 * managedFields, besides which only apiVersion, kind and what is written before the metadata may be there.
 */
export type StateShape = 'whole' | 'bare' | 'metadata';

const LINE_END = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSE = 0x7d;
const METADATA = '"metadata"';

/** The text of a whole state, reduced to a shape. The rest is not made into a string. */
export function shapedText(bytes: Buffer, shape: StateShape): string {
  if (shape === 'whole') return bytes.toString('utf8');
  const body = bytes.indexOf(LINE_END) + 1;
  const object = bytes.subarray(body);
  const cut = findManagedFields(object, OF_OBJECT);
  const end = shape === 'bare' ? object.length : endOfMetadata(object, cut?.to);
  const close = end < object.length ? '}' : '';
  if (!cut) return bytes.toString('utf8', 0, body + end) + close;
  return bytes.toString('utf8', 0, body + cut.from) + object.toString('utf8', cut.to, end) + close;
}

/** The place behind the metadata; `within` is a place between two members of it, if one is known. */
function endOfMetadata(object: Buffer, within: number | undefined): number {
  if (within !== undefined) return endOfMap(object, within) + 1;
  for (let at = 1; object[at] === QUOTE; ) {
    const value = endOfValue(object, at) + 1;
    const end = endOfValue(object, value);
    if (object.toString('latin1', at, value - 1) === METADATA) return end;
    at = end + 1;
  }
  return object.length;
}

/** The place of the bracket that closes the map of which a place is between two members. */
function endOfMap(object: Buffer, between: number): number {
  let at = between;
  while (at < object.length && object[at] !== CLOSE) {
    const key = object[at] === COMMA ? at + 1 : at;
    at = endOfValue(object, endOfValue(object, key) + 1);
  }
  return at;
}

/** The part of a difference that a state of a shape can take. It is parsed for that alone: the difference is changed. */
export function shapedDelta(delta: MapDelta, shape: StateShape): MapDelta {
  const own = delta['~']?.metadata;
  if (shape === 'whole') return delta;
  if (own && !('l' in own)) for (const part of [own['+'], own['~']]) drop(part);
  return shape === 'bare' ? delta : own ? { '~': { metadata: own } } : {};
}

function drop(part: Readonly<Record<string, unknown>> | undefined): void {
  if (part?.managedFields !== undefined) delete (part as Record<string, unknown>).managedFields;
}
