import type { ResourceType } from './resource-type.ts';

/** Knows the types that an API server serves. A client's discovery does. */
export interface ServedTypes {
  /** The server: the same value for all that is known to be of one server. Undefined if it is not known. */
  readonly server?: unknown;
  /** The types at one moment, and the groups that could not be read then. */
  snapshot(): Promise<{
    readonly types: readonly ResourceType[];
    readonly failures: readonly { readonly group: string }[];
  }>;
  /** The type of a word as kubectl takes it. Rejects with `discovery`, and the nearest word, if there is none. */
  resolve(word: string): Promise<ResourceType>;
  /** Makes the next call of `snapshot` ask the server. */
  invalidate(): Promise<void>;
}

const known = new WeakMap<object, ServedTypes>();

/** Notes the types of the server of `part`, for what is made from it later. Returns `part`. */
export function withServedTypes<T extends object>(part: T, served: ServedTypes | undefined): T {
  if (served) known.set(part, served);
  return part;
}

/** The types of the server that `part` reads; undefined if they are not known. */
export function servedTypesOf(part: object): ServedTypes | undefined {
  return known.get(part);
}
