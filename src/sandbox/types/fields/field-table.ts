import data from '../data/fields.json' with { type: 'json' };

/** Types of values that are not messages. */
const SCALARS = [
  'string',
  'int',
  'long',
  'number',
  'bool',
  'bytes',
  'any',
  'Quantity',
  'Time',
  'MicroTime',
  'IntOrString',
] as const;

export type Scalar = (typeof SCALARS)[number];

export type FieldType =
  | { readonly is: 'scalar'; readonly scalar: Scalar; readonly values?: readonly string[] | undefined }
  | { readonly is: 'list' | 'map'; readonly of: FieldType }
  | { readonly is: 'message'; readonly message: Message };

export interface Field {
  readonly name: string;
  /** Resolved at first use, because a message can contain itself. */
  readonly type: FieldType;
  /** The field's number in protobuf bodies; undefined when it has none or the table does not know it. */
  readonly number: number | undefined;
  /** Whether zero is a value of its own, and not the same as an absent field. */
  readonly keepsZero: boolean;
  readonly required: boolean;
  /** An apply replaces the value as a whole. */
  readonly atomic: boolean;
  /** For a list: the fields that identify an item in an apply. */
  readonly keys: readonly string[] | undefined;
  /** A list of scalar values without duplicates. */
  readonly set: boolean;
  /** How a strategic merge patch treats the field: its strategies, joined by commas. */
  readonly patchStrategy: string | undefined;
  /** For a list: the field that identifies an item in a strategic merge patch. */
  readonly patchKey: string | undefined;
}

/** An object of the API, or a part of one. */
export interface Message {
  /** `Container`. */
  readonly name: string;
  /** The name of its schema: `io.k8s.api.core.v1.Container`. */
  readonly qualified: string;
  readonly atomic: boolean;
  /** The fields by name, without kind and apiVersion. The fields of inline messages are included. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The content of protobuf bodies by number: a field, or an inline message. Empty when the numbers are not known. */
  readonly numbers: ReadonlyMap<number, Field | Message>;
  /** Numbers of fields that earlier versions had. Older clients send them; a server ignores them. */
  readonly retired: ReadonlySet<number>;
}

type Content = Pick<Message, 'fields' | 'numbers' | 'retired'>;

/** One version of a group, as the data file has it: the text of each field by message and name. */
interface Block {
  readonly package: string;
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * The types of kubernetes/api, by group and version. `tools/kubernetes-data.mjs` updates the file.
 *
 * The text of a field has these words, in this order: its number in protobuf bodies, if known; its type; its marks.
 * A type is a scalar, `<A|B>` (one of these strings), `[T]` (a list), `{T}` (a map), or a message of the same block, of
 * core, or of meta. Marks: `pointer` (zero is not the same as absent), `required`, `atomic` (an apply replaces it as a
 * whole), `set`, `keys=a,b` (the fields that identify a list item), `merge` or `merge=key`, `retainKeys` and `replace`
 * (for a strategic merge patch), and `inline` (the fields of the message are fields of this message).
 * `42 retired` is a field that an earlier version had under this number.
 * The text under `''` is about the message itself: `atomic` means that an apply replaces the message as a whole.
 */
const BLOCKS: Readonly<Record<string, Block>> = data;

const messages = new Map<string, Message>();

/**
 * The fields of a built-in kind; undefined when the table does not have the kind. `apiVersion` is `v1` or `apps/v1`.
 */
export function builtinMessage(apiVersion: string, kind: string): Message | undefined {
  const id = `${apiVersion}/${kind}`;
  const known = messages.get(id);
  if (known) return known;
  const block = own(BLOCKS, apiVersion);
  const texts = block && own(block.messages, kind);
  if (!texts) return undefined;
  const message = readMessage(apiVersion, kind, `${block.package}.${kind}`, texts);
  messages.set(id, message);
  return message;
}

export function allMessages(): Message[] {
  return Object.entries(BLOCKS).flatMap(([apiVersion, block]) =>
    Object.keys(block.messages).map((name) => find(name, apiVersion)),
  );
}

function own<T>(values: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function readMessage(
  apiVersion: string,
  name: string,
  qualified: string,
  texts: Readonly<Record<string, string>>,
): Message {
  let known: Content | undefined;
  const read = () => {
    known ??= readFields(texts, apiVersion);
    return known;
  };
  return {
    name,
    qualified,
    atomic: texts[''] === 'atomic',
    get fields() {
      return read().fields;
    },
    get numbers() {
      return read().numbers;
    },
    get retired() {
      return read().retired;
    },
  };
}

function readFields(texts: Readonly<Record<string, string>>, apiVersion: string): Content {
  const fields = new Map<string, Field>();
  const numbers = new Map<number, Field | Message>();
  const retired = new Set<number>();
  for (const [name, text] of Object.entries(texts)) {
    if (name === '') continue;
    const { number, typeName, marks } = readText(text);
    if (number !== undefined && typeName === 'retired') {
      retired.add(number);
      continue;
    }
    const inline = marks.has('inline') ? find(typeName, apiVersion) : undefined;
    const part = inline ?? makeField(name, number, marks, () => readType(typeName, apiVersion));
    for (const field of 'fields' in part ? part.fields.values() : [part]) fields.set(field.name, field);
    if (number !== undefined) numbers.set(number, part);
  }
  return { fields, numbers, retired };
}

interface FieldText {
  readonly number: number | undefined;
  readonly typeName: string;
  /** By name; the value is the text after `=`, or ''. */
  readonly marks: ReadonlyMap<string, string>;
}

function readText(text: string): FieldText {
  const words = text.split(' ');
  const number = /^\d/.test(text) ? Number(words.shift()) : undefined;
  const [typeName = '', ...rest] = words;
  const marks = new Map(rest.map((word): [string, string] => [word.replace(/=.*/, ''), word.split('=')[1] ?? '']));
  return { number, typeName, marks };
}

function makeField(
  name: string,
  number: number | undefined,
  marks: FieldText['marks'],
  resolve: () => FieldType,
): Field {
  const required = marks.has('required');
  const strategies = ['merge', 'retainKeys', 'replace'].filter((strategy) => marks.has(strategy));
  let type: FieldType | undefined;
  return {
    name,
    get type() {
      type ??= resolve();
      return type;
    },
    number,
    keepsZero: required || marks.has('pointer'),
    required,
    atomic: marks.has('atomic'),
    keys: marks.get('keys')?.split(','),
    set: marks.has('set'),
    patchStrategy: strategies.length > 0 ? strategies.join(',') : undefined,
    patchKey: marks.get('merge') || undefined,
  };
}

function readType(text: string, apiVersion: string): FieldType {
  const inner = text.slice(1, -1);
  if (text.startsWith('[')) return { is: 'list', of: readType(inner, apiVersion) };
  if (text.startsWith('{')) return { is: 'map', of: readType(inner, apiVersion) };
  if (text.startsWith('<')) return { is: 'scalar', scalar: 'string', values: inner.split('|') };
  const scalar = SCALARS.find((s) => s === text);
  if (scalar !== undefined) return { is: 'scalar', scalar };
  return { is: 'message', message: find(text, apiVersion) };
}

function find(name: string, apiVersion: string): Message {
  const message =
    builtinMessage(apiVersion, name) ?? builtinMessage('v1', name) ?? builtinMessage('meta.k8s.io/v1', name);
  if (!message)
    throw new Error(`the field table has a field of type ${name}, but no such message in ${apiVersion}, core or meta`);
  return message;
}
