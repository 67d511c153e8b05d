import { CLUSTER_FIELDS } from './cluster-fields.ts';
import { CORE_FIELDS } from './core-fields.ts';
import { EXTENSION_FIELDS } from './extension-fields.ts';
import { META_FIELDS } from './meta-fields.ts';
import { WORKLOAD_FIELDS } from './workload-fields.ts';

/** Values that are no messages, as the table names them. '' is a string. */
const SCALARS = ['', 'int', 'long', 'number', 'bool', 'bytes', 'any', 'Quantity', 'Time', 'MicroTime', 'IntOrString'] as const;

export type Scalar = (typeof SCALARS)[number];

export type FieldType =
  | { readonly is: 'scalar'; readonly scalar: Scalar; readonly values?: readonly string[] | undefined }
  | { readonly is: 'list' | 'map'; readonly of: FieldType }
  | { readonly is: 'message'; readonly message: Message };

export interface Field {
  readonly name: string;
  /** Found when it is first asked for, since messages may hold themselves. */
  readonly type: FieldType;
  /** Its number in protobuf bodies, if it has one. */
  readonly number: number | undefined;
  /** Whether zero is a value and not the absence of one. */
  readonly keepsZero: boolean;
  readonly required: boolean;
  /** Replaced as a whole by an apply. */
  readonly atomic: boolean;
  /** A list whose items an apply tells apart by these fields. */
  readonly keys: readonly string[] | undefined;
  /** A list of plain values without duplicates. */
  readonly set: boolean;
  /** How a strategic merge patch treats it: the strategies joined by commas, and the field that tells items apart. */
  readonly patchStrategy: string | undefined;
  readonly patchKey: string | undefined;
}

/** An object of the API, or a part of one. */
export interface Message {
  /** `Container`. */
  readonly name: string;
  /** `io.k8s.api.core.v1.Container`, which is what schemas are called. */
  readonly qualified: string;
  readonly atomic: boolean;
  /** Without kind and apiVersion; those of messages that stand in this one are among them. */
  readonly fields: ReadonlyMap<string, Field>;
  /** What protobuf bodies hold under which number: a field, or a message whose fields stand in this one. Empty when it is not known. */
  readonly numbers: ReadonlyMap<number, Field | Message>;
}

/** The messages of one version of a group. */
interface Block {
  readonly groupVersion: string;
  readonly messages: Map<string, Message>;
}

/**
 * The notation: `# GROUP/VERSION PACKAGE` opens a block; a line is a message and its fields. A field is `name=number:type` and its marks, in
 * this order: `?` after the number, where zero is a value and not the absence of one (a Go pointer); `~` replaced as a whole, `(a,b)` a list
 * by these keys, `(=)` a set, `^key` merged by a strategic patch by this key, `^` merged, `%` its retainKeys, `$` its replace, `!` required.
 * A type is a scalar (none: a string), `<A|B>` one of these strings, `[T]`, `{T}`, or a message of the block, of the core group, or of meta.
 * `>Message=number`: its fields stand in this one. `~` after the name of a message: it is replaced as a whole wherever it stands.
 */
const TABLES = [META_FIELDS, CORE_FIELDS, WORKLOAD_FIELDS, CLUSTER_FIELDS, EXTENSION_FIELDS];

const FIELD = /^([^:=?!~^%(]+)(?:=(\d+))?(\?)?(?::(<[^>]*>|[^~(^%!$]*))?(~)?(?:\(([^)]*)\))?(?:\^([a-zA-Z]*))?(%|\$)?(!)?$/;
const INLINE = /^>(\w+)(?:=(\d+))?$/;

let blocks: readonly Block[] | undefined;

/** The fields of a built-in kind; undefined when the table does not know it. `apiVersion` is `v1` or `apps/v1`. */
export function builtinMessage(apiVersion: string, kind: string): Message | undefined {
  return table()
    .find((b) => b.groupVersion === apiVersion)
    ?.messages.get(kind);
}

/** Every message there is. */
export function allMessages(): Message[] {
  return table().flatMap((b) => [...b.messages.values()]);
}

function table(): readonly Block[] {
  blocks ??= TABLES.flatMap((text) => text.trim().split(/\n(?=# )/)).map(parseBlock);
  return blocks;
}

function parseBlock(text: string): Block {
  const [head = '', ...lines] = text.split('\n');
  const [, groupVersion = '', scope = ''] = head.split(' ');
  const block: Block = { groupVersion, messages: new Map() };
  for (const line of lines) {
    const [marked = '', ...parts] = line.split(' ');
    const name = marked.replace('~', '');
    block.messages.set(name, parseMessage(name, `${scope}.${name}`, marked.endsWith('~'), parts, block));
  }
  return block;
}

function parseMessage(name: string, qualified: string, atomic: boolean, parts: readonly string[], block: Block): Message {
  let known: Pick<Message, 'fields' | 'numbers'> | undefined;
  const read = () => {
    known ??= parseFields(parts, block);
    return known;
  };
  return {
    name,
    qualified,
    atomic,
    get fields() {
      return read().fields;
    },
    get numbers() {
      return read().numbers;
    },
  };
}

function parseFields(parts: readonly string[], block: Block): Pick<Message, 'fields' | 'numbers'> {
  const fields = new Map<string, Field>();
  const numbers = new Map<number, Field | Message>();
  for (const part of parts) {
    const [, inline, place] = INLINE.exec(part) ?? [];
    const field = inline === undefined ? parseField(part, block) : undefined;
    const message = inline === undefined ? undefined : find(inline, block);
    for (const one of field ? [field] : (message?.fields.values() ?? [])) fields.set(one.name, one);
    const number = field ? field.number : Number(place);
    if (number !== undefined) numbers.set(number, (field ?? message) as Field | Message);
  }
  return { fields, numbers };
}

function parseField(text: string, block: Block): Field {
  const [, name = text, number, pointer, typeName = '', atomic, keys, patchKey, mark, required] = FIELD.exec(text) ?? [];
  const strategies = [...(mark === '%' ? ['retainKeys'] : mark === '$' ? ['replace'] : []), ...(patchKey === undefined ? [] : ['merge'])];
  let type: FieldType | undefined;
  return {
    name,
    get type() {
      type ??= parseType(typeName, block);
      return type;
    },
    number: number === undefined ? undefined : Number(number),
    keepsZero: pointer !== undefined || required !== undefined,
    required: required !== undefined,
    atomic: atomic !== undefined,
    keys: keys === undefined || keys === '=' ? undefined : keys.split(','),
    set: keys === '=',
    patchStrategy: strategies.length > 0 ? strategies.reverse().join(',') : undefined,
    patchKey: patchKey || undefined,
  };
}

function parseType(text: string, block: Block): FieldType {
  const inner = text.slice(1, -1);
  if (text.startsWith('[')) return { is: 'list', of: parseType(inner, block) };
  if (text.startsWith('{')) return { is: 'map', of: parseType(inner, block) };
  if (text.startsWith('<')) return { is: 'scalar', scalar: '', values: inner.split('|') };
  const scalar = SCALARS.find((s) => s === text);
  if (scalar !== undefined) return { is: 'scalar', scalar };
  return { is: 'message', message: find(text, block) };
}

function find(name: string, block: Block): Message {
  const message = block.messages.get(name) ?? builtinMessage('v1', name) ?? builtinMessage('meta.k8s.io/v1', name);
  if (!message) throw new Error(`the field table names ${name}, which is no message of ${block.groupVersion}`);
  return message;
}
