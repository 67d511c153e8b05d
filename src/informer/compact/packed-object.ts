import { type ObjectKey, partsOfKey } from '../../model/key.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { Block, Placed } from './block.ts';

/** The metadata of a packed object that is kept parsed. */
export interface LightMetadata {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: ResourceVersion | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** Index values that were computed while the object was parsed, for the index functions of that moment. */
export interface PreparedValues {
  readonly of: readonly unknown[];
  readonly values: readonly (readonly string[])[];
}

/**
 * Takes the place of an object whose text is in a {@link Block}. Its `metadata` has what comparisons and label
 * selectors read, so that these decode nothing.
 */
export class PackedObject<T = unknown> implements LightMetadata, Placed {
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  readonly resourceVersion: ResourceVersion | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
  block: Block;
  at: number;
  /** The parsed object, while it is hot. */
  hot: T | undefined = undefined;
  /** Whether the object was read since the search for cold ones last came by. */
  isUsed = false;
  prepared: PreparedValues | undefined = undefined;

  constructor(
    key: ObjectKey,
    { uid, resourceVersion, labels }: Omit<LightMetadata, 'name' | 'namespace'>,
    block: Block,
    at: number,
  ) {
    this.key = key;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.labels = labels;
    this.block = block;
    this.at = at;
  }

  get metadata(): LightMetadata {
    return this;
  }

  get name(): string {
    return partsOfKey(this.key).name;
  }

  get namespace(): string | undefined {
    return partsOfKey(this.key).namespace || undefined;
  }
}

/** A packed object whose key does not say its name, because the store has keys of another kind. */
export class NamedPackedObject<T = unknown> extends PackedObject<T> {
  readonly #name: string;
  readonly #namespace: string | undefined;

  constructor(key: ObjectKey, { name, namespace, ...meta }: LightMetadata, block: Block, at: number) {
    super(key, meta, block, at);
    this.#name = name;
    this.#namespace = namespace;
  }

  override get name(): string {
    return this.#name;
  }

  override get namespace(): string | undefined {
    return this.#namespace;
  }
}

/** The metadata of a handle: the fields that its object has. */
export function metadataOf(packed: PackedObject): Partial<LightMetadata> {
  const { name, namespace, uid, resourceVersion, labels } = packed;
  const metadata: { -readonly [K in keyof LightMetadata]?: LightMetadata[K] } = { name };
  if (namespace !== undefined) metadata.namespace = namespace;
  if (uid !== undefined) metadata.uid = uid;
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
  if (labels !== undefined) metadata.labels = labels;
  return metadata;
}

/** An object as a store has it: parsed or packed. */
export type Cached<T> = T | PackedObject<T>;
