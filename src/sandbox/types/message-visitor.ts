import { isJsonMap } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from './api-type.ts';
import { builtinMessage, type FieldType, type Message } from './fields/field-table.ts';

type Fields = Record<string, unknown>;

/** Visits the parts of objects that are messages of certain names. It does not enter parts that hold none of them. */
export class MessageVisitor {
  readonly #visits: ReadonlyMap<string, (fields: Fields) => void>;
  /** The fields to enter, by message. */
  readonly #ways = new WeakMap<Message, readonly { readonly name: string; readonly type: FieldType }[]>();

  /** `visits` is by the full name of the message: `io.k8s.api.core.v1.Probe`. */
  constructor(visits: Readonly<Record<string, (fields: Fields) => void>>) {
    this.#visits = new Map(Object.entries(visits));
  }

  /** Calls the function of each part, the outer one first. A custom resource has no such parts. */
  visit(type: ApiType, object: UnknownObject): void {
    const message = type.custom ? undefined : builtinMessage(formatGroupVersion(type.gvr), type.kind);
    if (message) this.#message(object, message);
  }

  #message(fields: Fields, message: Message): void {
    this.#visits.get(message.qualified)?.(fields);
    for (const { name, type } of this.#waysOf(message)) this.#value(fields[name], type);
  }

  #value(value: unknown, type: FieldType): void {
    if (type.is === 'scalar' || value === null || value === undefined) return;
    if (type.is === 'message') {
      if (isJsonMap(value)) this.#message(value, type.message);
    } else if (Array.isArray(value)) for (const item of value) this.#value(item, type.of);
    else if (isJsonMap(value)) for (const key in value) this.#value(value[key], type.of);
  }

  #waysOf(message: Message): readonly { readonly name: string; readonly type: FieldType }[] {
    let ways = this.#ways.get(message);
    if (!ways) {
      ways = [...message.fields.values()].filter(({ type }) => this.#leads(type, new Set()));
      this.#ways.set(message, ways);
    }
    return ways;
  }

  #leads(type: FieldType, seen: Set<Message>): boolean {
    if (type.is === 'scalar') return false;
    if (type.is !== 'message') return this.#leads(type.of, seen);
    const { message } = type;
    if (this.#visits.has(message.qualified)) return true;
    if (seen.has(message)) return false;
    seen.add(message);
    return [...message.fields.values()].some((field) => this.#leads(field.type, seen));
  }
}
