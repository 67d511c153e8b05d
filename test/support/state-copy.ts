import type { StateChange } from '../../src/informer/state-change.ts';
import type { StoredState } from '../../src/informer/watch/stored-state.ts';
import type { Clock } from '../../src/kit/clock.ts';
import type { ObjectKey } from '../../src/model/key.ts';
import type { DeepReadonly, KubeObject } from '../../src/model/object.ts';

/** What a program keeps of one source to begin with when it is started again: a copy that observes the state. */
export class StateCopy<T extends KubeObject> {
  /** The steps: keys, and the version after them. */
  readonly steps: string[] = [];
  readonly #clock: Clock;
  readonly #objects = new Map<ObjectKey, T>();
  #version: string;
  #at: number;

  constructor(clock: Clock, stored?: StoredState<T>) {
    this.#clock = clock;
    this.#version = stored?.resourceVersion ?? '';
    this.#at = stored?.at ?? 0;
    for (const object of stored?.objects ?? []) this.#put(object);
  }

  take({ isWhole, objects, resourceVersion }: StateChange<T>): void {
    const taken = [...objects];
    if (isWhole) this.#objects.clear();
    for (const [key, object] of taken) {
      if (object === undefined) this.#objects.delete(key);
      else this.#objects.set(key, structuredClone(object as DeepReadonly<T> & T));
    }
    this.#version = resourceVersion;
    this.#at = this.#clock.now();
    const keys = taken.map(([key]) => key).sort();
    this.steps.push(`${isWhole ? 'whole ' : ''}${keys.join(',')} @${resourceVersion}`);
  }

  /** Undefined: there is nothing to begin with. */
  get state(): StoredState<T> | undefined {
    if (this.#version === '') return undefined;
    return { objects: [...this.#objects.values()], resourceVersion: this.#version, at: this.#at };
  }

  #put(object: T): void {
    const { namespace, name } = object.metadata;
    this.#objects.set(namespace === undefined ? `${name}` : `${namespace}/${name}`, object);
  }
}
