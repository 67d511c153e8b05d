import { builtin } from '../kit/builtin.ts';
import { jsonText } from '../kit/exact-json.ts';
import type { GroupVersionResource } from '../model/gvr.ts';
import { isSecretResource } from '../model/secret-type.ts';

/** Where `kubectl apply` keeps a whole copy of what it applied. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export interface RedactorOptions {
  /** Key of the digests; drawn at random unless given. Two redactors with one key show a value alike. */
  key?: Uint8Array | undefined;
  /** Shows everything: `redact` gives back what it gets. */
  showSecrets?: boolean | undefined;
}

/** Whether an object says of itself that it is a Secret. */
function isSecret(object: unknown): boolean {
  const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
  return kind === 'Secret' && (apiVersion === 'v1' || apiVersion === undefined);
}

/**
 * Replaces secret values by `hmac:<8 hex>` under a key of this run: equal values look equal, a change is visible, the value is not.
 * Redacted are the values of `data` and `stringData` of Secrets (one and the same text in either looks equal) and their last-applied annotation.
 *
 * Promises: what it gets is never changed, and what holds no secret is given back as it is, at the cost of one comparison; lists (also of mixed
 * kinds, also within lists) are looked into. Does not promise: to find a Secret inside the spec of another object.
 */
export class Redactor {
  readonly #key: Uint8Array;
  readonly #showSecrets: boolean;

  constructor(options: RedactorOptions = {}) {
    this.#key = options.key ?? builtin.crypto().randomBytes(32);
    this.#showSecrets = options.showSecrets ?? false;
  }

  /** `gvr` tells the type where the object itself may not. */
  redact<T extends object>(object: T, gvr?: Pick<GroupVersionResource, 'group' | 'resource'>): T {
    if (this.#showSecrets) return object;
    if ((gvr && isSecretResource(gvr)) || isSecret(object)) return this.#secret(object);
    const { kind, items } = object as { kind?: unknown; items?: unknown };
    if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return object;
    return this.#list(object, items, kind === 'SecretList' ? { group: '', resource: 'secrets' } : undefined);
  }

  /** What is shown in place of a text: `hmac:<8 hex>`, or the text itself when secrets are shown. */
  value(text: string): string {
    return this.#showSecrets ? text : this.#digest(text);
  }

  #digest(plain: string | Uint8Array): string {
    return `hmac:${builtin.crypto().createHmac('sha256', this.#key).update(plain).digest('hex').slice(0, 8)}`;
  }

  #secret<T extends object>(object: T): T {
    const { data, stringData, metadata } = object as SecretFields;
    const redacted = { ...object } as T & SecretFields;
    if (data) redacted.data = this.#values(data, bytesOf);
    if (stringData) redacted.stringData = this.#values(stringData, textOf);
    if (metadata?.annotations?.[LAST_APPLIED] !== undefined) redacted.metadata = this.#withoutApplied(metadata);
    return redacted;
  }

  #values(values: Fields, plain: (value: unknown) => string | Uint8Array): Fields {
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, this.#digest(plain(value))]));
  }

  #withoutApplied(metadata: Metadata): Metadata {
    const annotations = { ...metadata.annotations };
    annotations[LAST_APPLIED] = this.#digest(textOf(annotations[LAST_APPLIED]));
    return { ...metadata, annotations };
  }

  #list<T extends object>(list: T, items: readonly unknown[], gvr: { group: string; resource: string } | undefined): T {
    const redacted = items.map((item) => (typeof item === 'object' && item !== null ? this.redact(item, gvr) : item));
    return redacted.every((item, i) => item === items[i]) ? list : { ...list, items: redacted };
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Metadata = { readonly annotations?: Fields };
type SecretFields = { data?: Fields; stringData?: Fields; metadata?: Metadata };

const textOf = (value: unknown) => (typeof value === 'string' ? value : (jsonText(value) ?? ''));

/** The bytes that base64 text stands for, so that `data` and `stringData` of one value look alike; the text when it is no base64. */
function bytesOf(value: unknown): string | Uint8Array {
  const text = textOf(value);
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : text;
}
