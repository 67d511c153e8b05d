import type { Address, FieldReads } from '../../model/field-path.ts';
import { addressText, isAt } from '../../model/field-path.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { type CachedInformer, type CachedObjects, scanned } from '../../query/answer/cached-objects.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { withKind } from '../../stream/shown-object.ts';
import type { WatchTarget } from '../session/informers.ts';

/** The first objects are whole where hints may look for names of fields in them. */
export const WHOLE_FOR_HINTS = 200;
/** The objects in which hints look for values, where nothing matches. */
const MOST_KEPT = 10_000;

/** The facts for hints on objects that are not kept: the first ones, their number, and the fields that none has. */
export class PassedSample {
  readonly #type: ResourceType;
  readonly #reads: readonly FieldReads[];
  readonly #objects: ReadonlyObject[] = [];
  /** The addresses at which no object had a value so far. */
  #unseen: Address[];
  #count = 0;
  #most = MOST_KEPT;

  constructor(type: ResourceType, reads: readonly FieldReads[]) {
    this.#type = type;
    this.#reads = reads;
    this.#unseen = reads.flatMap(({ addresses }) => addresses);
    if (this.#unseen.length === 0) this.#most = 1;
  }

  add(object: ReadonlyObject): void {
    this.#count++;
    if (this.#objects.length < this.#most) this.#objects.push(object);
    if (this.#unseen.length === 0) return;
    const one = withKind(object, this.#type);
    this.#unseen = this.#unseen.filter((address) => !isAt(one, address));
  }

  /** An object matches: no hint looks for values. */
  matched(): void {
    if (this.#most <= WHOLE_FOR_HINTS) return;
    this.#most = WHOLE_FOR_HINTS;
    this.#objects.splice(WHOLE_FOR_HINTS);
  }

  clear(): void {
    this.#objects.length = 0;
    this.#count = 0;
  }

  get count(): number {
    return this.#count;
  }

  get sample(): Sample {
    return { type: this.#type, objects: this.#objects, count: this.#count };
  }

  /** The target with these objects in place of its cache, which has none. */
  cached(target: WatchTarget): CachedObjects {
    const { type, names, namespaces, forbidden, informer } = target;
    const store = scanned(this.#objects);
    const lister = { ...store, size: this.#count, count: this.#count, values: () => this.#objects.values() };
    return { type, names, namespaces, forbidden, informer: { ...heldBy(informer), lister } };
  }

  /** The reads whose fields no object has. */
  get absent(): FieldReads[] {
    const unseen = new Set(this.#unseen.map(addressText));
    return this.#reads.map((each) => ({
      ...each,
      addresses: each.addresses.filter((address) => unseen.has(addressText(address))),
    }));
  }
}

const heldBy = (informer: WatchTarget['informer']): Omit<CachedInformer, 'lister'> => ({
  name: informer.name,
  continuity: informer.continuity,
  confirm: (signal) => informer.confirm(signal),
  whenProven: (signal) => informer.whenProven(signal),
  whenApplied: (signal) => informer.whenApplied(signal),
});
