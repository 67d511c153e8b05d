import type { ResourceEvent } from '../../src/controller/resource-event.ts';
import type { EventFeed } from '../../src/controller/source.ts';
import { Latch } from '../../src/kit/latch.ts';

/**
 * What a controller sees of an informer: events told at the moment a test says so, and a first state that is complete when it says so.
 *
 * It is no server and knows no objects. The sandbox cannot serve here, because the order that counts is the one of events, reconciles,
 * timers and shutdowns within one turn of the event loop, and because sources are told things that no informer tells (a predicate that
 * throws, an event behind the end). How informer and controller work together is tested over the sandbox.
 */
export class ScriptedSource implements EventFeed {
  readonly sync = new Latch();
  readonly #listeners = new Set<(event: ResourceEvent) => void>();

  subscribe(listener: (event: ResourceEvent) => void) {
    this.#listeners.add(listener);
    return { whenSynced: (signal?: AbortSignal) => this.sync.wait(signal), [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  tell(event: ResourceEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
