import { parseJson } from '../../kit/exact-json.ts';
import { formatGroupVersion, type GroupVersionKind } from '../../model/gvr.ts';
import { badRequest, notImplemented } from '../status/statuses.ts';
import { builtinMessage, type Field, type FieldType, type Message } from '../types/fields/field-table.ts';

/**
 * The media type in which Go clients send built-in objects by default. The sandbox reads it and answers in JSON, which
 * they read too.
 */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

type Fields = Record<string, unknown>;

/** The first bytes of every body; an envelope follows. Source: apimachinery runtime/serializer/protobuf. */
const MAGIC = Buffer.from('k8s\0');

/**
 * Reads a body in the Kubernetes protobuf format. Returns the object that the same body in JSON would have.
 * Throws 400 for a body in another format, 501 for a type or field that the sandbox does not read in this format.
 */
export function decodeProtobuf(body: Buffer, type: GroupVersionKind): Fields {
  if (!body.subarray(0, 4).equals(MAGIC)) badRequest('the body is not in the Kubernetes protobuf format');
  const envelope = new Map([...records(body.subarray(4))].map((record) => [record.number, record.value]));
  const { apiVersion, kind } = readTypeMeta(envelope.get(1), type);
  const raw = envelope.get(2);
  const message = builtinMessage(apiVersion, kind) ?? builtinMessage(formatGroupVersion(type), kind);
  if (!message || message.numbers.size === 0) return notImplemented(`protobuf bodies of ${kind}; send JSON`);
  return { kind, apiVersion, ...readMessage(raw instanceof Buffer ? raw : Buffer.alloc(0), message) };
}

function readTypeMeta(bytes: unknown, type: GroupVersionKind): { apiVersion: string; kind: string } {
  const meta =
    bytes instanceof Buffer
      ? new Map([...records(bytes)].map((r) => [r.number, String(r.value)]))
      : new Map<number, string>();
  return { apiVersion: meta.get(1) || formatGroupVersion(type), kind: meta.get(2) || type.kind };
}

interface WireRecord {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** The records of a message, in their order. Source: the protobuf encoding guide. */
function* records(bytes: Buffer): Generator<WireRecord, void, void> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) return badRequest('the protobuf body breaks off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    if ((tag & 7) === 0) {
      yield { number: tag >> 3, value: varint() };
    } else if ((tag & 7) === 2) {
      const length = Number(varint());
      if (at + length > bytes.length) badRequest('the protobuf body breaks off');
      yield { number: tag >> 3, value: bytes.subarray(at, at + length) };
      at += length;
    } else {
      notImplemented('protobuf bodies with fixed-size numbers; send JSON');
    }
  }
}

function readMessage(bytes: Buffer, message: Message): Fields {
  const result: Fields = {};
  for (const { number, value } of records(bytes)) {
    if (message.retired.has(number)) continue;
    const part = message.numbers.get(number);
    if (!part) return notImplemented(`field ${number} of ${message.name} in protobuf bodies; send JSON`);
    if ('numbers' in part) Object.assign(result, readMessage(asBytes(value), part));
    else put(result, part, value);
  }
  return result;
}

function put(result: Fields, { name, type, keepsZero }: Field, wire: bigint | Buffer): void {
  if (type.is === 'list') {
    result[name] = [...((result[name] as unknown[] | undefined) ?? []), readValue(type.of, wire)];
  } else if (type.is === 'map') {
    result[name] = { ...(result[name] as Fields | undefined), ...readEntry(type.of, wire) };
  } else {
    const value = readValue(type, wire);
    if (keepsZero || !isZero(value)) result[name] = value;
  }
}

/** Whether a value is the zero of its type. Go writes it in protobuf when the field is not a pointer; JSON omits it. */
function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false || value === null;
}

function readEntry(type: FieldType, wire: bigint | Buffer): Fields {
  const parts = new Map([...records(asBytes(wire))].map((r) => [r.number, r.value]));
  const value = parts.get(2) ?? (isNumber(type) ? 0n : Buffer.alloc(0));
  return { [String(parts.get(1) ?? '')]: readValue(type, value) };
}

function isNumber(type: FieldType): boolean {
  return type.is === 'scalar' && ['int', 'long', 'bool'].includes(type.scalar);
}

function asBytes(wire: bigint | Buffer): Buffer {
  return wire instanceof Buffer ? wire : badRequest('the protobuf body holds a number where a message belongs');
}

function readValue(type: FieldType, wire: bigint | Buffer): unknown {
  if (type.is === 'message') return readMessage(asBytes(wire), type.message);
  if (type.is !== 'scalar') return readWrapped(type.of, asBytes(wire));
  switch (type.scalar) {
    case 'string':
      return asBytes(wire).toString('utf8');
    case 'int':
    case 'long':
    case 'number':
      return typeof wire === 'bigint' && !Number.isSafeInteger(Number(wire)) ? wire : Number(wire);
    case 'bool':
      return wire !== 0n;
    case 'bytes':
      return asBytes(wire).toString('base64');
    case 'Time':
    case 'MicroTime':
      return readTime(asBytes(wire), type.scalar);
    case 'Quantity':
      return String([...records(asBytes(wire))][0]?.value ?? '0');
    case 'IntOrString':
      return readIntOrString(asBytes(wire));
    case 'any':
      return parseJson(String([...records(asBytes(wire))][0]?.value ?? '{}'));
  }
}

/** Reads a list in a map: a message that has the items. */
function readWrapped(type: FieldType, bytes: Buffer): unknown[] {
  return [...records(bytes)].map(({ value }) => readValue(type, value));
}

/** A timestamp; null for an empty message, which is the zero time. */
function readTime(bytes: Buffer, type: 'Time' | 'MicroTime'): string | null {
  const parts = new Map([...records(bytes)].map((r) => [r.number, Number(r.value)]));
  const seconds = parts.get(1);
  if (seconds === undefined) return null;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  const micros = Math.trunc((parts.get(2) ?? 0) / 1000);
  return type === 'Time' ? `${text}Z` : `${text}.${String(micros).padStart(6, '0')}Z`;
}

function readIntOrString(bytes: Buffer): string | number {
  const parts = new Map([...records(bytes)].map((r) => [r.number, r.value]));
  return parts.get(1) === 1n ? String(parts.get(3) ?? '') : Number(parts.get(2) ?? 0);
}
