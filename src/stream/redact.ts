import { builtin } from '../kit/builtin.ts';
import { jsonText } from '../kit/exact-json.ts';
import { type GroupVersionResource, isSecretResource } from '../model/gvr.ts';
import { SecretCopies } from '../model/secret-copies.ts';

/** The annotation in which `kubectl apply` stores a copy of the applied object. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Says that the values of an object are digests. `{...object}` copies it; JSON and YAML do not show it. */
const MASKED: unique symbol = Symbol('kubectl-informer.masked');

const isMasked = (object: object): boolean => (object as { [MASKED]?: boolean })[MASKED] === true;

export interface RedactorOptions {
  /**
   * The key of the digests. Default: a random key. Two redactors with the same key replace a value by the same digest.
   */
  key?: Uint8Array | undefined;
  /** Turns redaction off: `redact` returns the given object. */
  showSecrets?: boolean | undefined;
}

/** Whether the kind and apiVersion of an object are those of a Secret. */
function isSecret(object: unknown): boolean {
  const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
  return kind === 'Secret' && (apiVersion === 'v1' || apiVersion === undefined);
}

/**
 * Replaces secret values by digests: `hmac:` and 8 hexadecimal digits. The key of the digests is random for each run.
 * Equal values have equal digests, so a change is visible and the value is not.
 *
 * It redacts the values of `data` and `stringData` of Secrets, their last-applied annotation, and every label and
 * annotation that is or contains one of their values, plain or in base64: a server copies them there for a JSON patch,
 * other writers by themselves. The same text in `data` and in `stringData` has the same digest.
 *
 * Promises: it never modifies the given object. An object without a secret is returned itself, at the cost of one
 * comparison. Lists are redacted item by item, also lists of several kinds and lists within lists. Does not promise: it
 * does not find a Secret inside the spec of another object.
 */
export class Redactor {
  #key: Uint8Array | undefined;
  readonly #showSecrets: boolean;

  constructor({ key, showSecrets = false }: RedactorOptions = {}) {
    this.#key = key;
    this.#showSecrets = showSecrets;
  }

  /**
   * Returns the object with its secret values replaced. `gvr` is the type, for objects that lack apiVersion and kind.
   * `states` are other states of the same Secret, whose values are replaced too where labels and annotations have them.
   */
  redact<T extends object>(
    object: T,
    gvr?: Pick<GroupVersionResource, 'group' | 'resource'>,
    states: readonly object[] = [],
  ): T {
    if (this.#showSecrets || isMasked(object)) return object;
    if ((gvr && isSecretResource(gvr)) || isSecret(object)) return this.#secret(object, states);
    const { kind, items } = object as { kind?: unknown; items?: unknown };
    if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return object;
    return this.#list(object, items, kind === 'SecretList' ? { group: '', resource: 'secrets' } : undefined);
  }

  /**
   * The object as {@link redact} returns it, for code that reads it and shows it later: it is not redacted a second time,
   * and neither are copies of it.
   */
  masked<T extends object>(object: T, gvr: Pick<GroupVersionResource, 'group' | 'resource'>): T {
    const redacted = this.redact(object, gvr);
    return redacted === object ? object : { ...redacted, [MASKED]: true };
  }

  /** The digest of a text; the text itself if secrets are shown. */
  value(text: string): string {
    return this.#showSecrets ? text : this.#digest(text);
  }

  #digest(plain: string | Uint8Array): string {
    this.#key ??= builtin.crypto().randomBytes(32);
    return `hmac:${builtin.crypto().createHmac('sha256', this.#key).update(plain).digest('hex').slice(0, 8)}`;
  }

  #secret<T extends object>(object: T, states: readonly object[]): T {
    const { data, stringData, metadata } = object as SecretFields;
    const redacted = { ...object } as T & SecretFields;
    if (data) redacted.data = this.#values(data, bytesOf);
    if (stringData) redacted.stringData = this.#values(stringData, textOf);
    if (metadata) redacted.metadata = this.#withoutCopies(metadata, [object, ...states]);
    return redacted;
  }

  #values(values: Fields, plain: (value: unknown) => string | Uint8Array): Fields {
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, this.#digest(plain(value))]));
  }

  /** The metadata without the annotation of kubectl apply, and without labels and annotations that repeat a value. */
  #withoutCopies(metadata: Metadata, states: readonly object[]): Metadata {
    const { labels, annotations } = metadata;
    const texts = [...Object.values(labels ?? {}), ...Object.values(annotations ?? {})].map(textOf);
    if (texts.length === 0) return metadata;
    const copies = new SecretCopies(states, Math.max(...texts.map(({ length }) => length)));
    const isShown = (name: string, value: unknown) => name !== LAST_APPLIED && !copies.isIn(textOf(value));
    const replaced = (fields: Fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          name,
          isShown(name, value) ? value : this.#digest(textOf(value)),
        ]),
      );
    return {
      ...metadata,
      ...(labels && { labels: replaced(labels) }),
      ...(annotations && { annotations: replaced(annotations) }),
    };
  }

  #list<T extends object>(list: T, items: readonly unknown[], gvr: { group: string; resource: string } | undefined): T {
    const redacted = items.map((item) => (typeof item === 'object' && item !== null ? this.redact(item, gvr) : item));
    return redacted.every((item, i) => item === items[i]) ? list : { ...list, items: redacted };
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Metadata = { readonly labels?: Fields; readonly annotations?: Fields };
type SecretFields = { data?: Fields; stringData?: Fields; metadata?: Metadata };

const textOf = (value: unknown) => (typeof value === 'string' ? value : (jsonText(value) ?? ''));

/**
 * The decoded bytes of a base64 text, so that one value has one digest in `data` and `stringData`; other texts as they
 * are.
 */
function bytesOf(value: unknown): string | Uint8Array {
  const text = textOf(value);
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : text;
}

/** The part of a redactor that is about objects and values one by one. */
export type ObjectRedactor = Pick<Redactor, 'redact' | 'value'>;

/** A redactor whose objects also lack managedFields, for code that would send them back to the server. */
export function withoutManagedFields(redactor: ObjectRedactor): ObjectRedactor {
  return {
    redact(object, gvr, states) {
      const redacted = redactor.redact(object, gvr, states);
      const { metadata } = redacted as { readonly metadata?: { readonly managedFields?: unknown } };
      if (metadata?.managedFields === undefined) return redacted;
      const { managedFields: _, ...rest } = metadata;
      return { ...redacted, metadata: rest };
    },
    value: (text) => redactor.value(text),
  };
}
