import type { ResourceEvent } from '../../src/controller/resource-event.ts';
import type { EventFeed } from '../../src/controller/sources/source.ts';
import { Latch } from '../../src/kit/latch.ts';

/**
 * The events of an informer, as a controller gets them. A test emits each event and ends the initial sync.
 *
 * It is no server and knows no objects. These tests cannot use the sandbox: they need an exact order of events,
 * reconciles, timers and shutdowns within one turn of the event loop, and events that no informer emits (an event after
 * the end). Other tests run the informer and the controller together over the sandbox.
 */
export class ScriptedSource implements EventFeed {
  readonly sync = new Latch();
  readonly #listeners = new Set<(event: ResourceEvent) => void>();

  subscribe(listener: (event: ResourceEvent) => void) {
    this.#listeners.add(listener);
    return {
      whenSynced: (signal?: AbortSignal) => this.sync.wait(signal),
      [Symbol.dispose]: () => void this.#listeners.delete(listener),
    };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  emit(event: ResourceEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
