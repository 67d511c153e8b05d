import { MemoryRoom } from '../../kit/memory-room.ts';
import { thousands } from '../../kit/thousands.ts';
import { tooMuch } from './limits.ts';
import type { TrafficCounter } from './traffic.ts';

/** The bytes after which the memory is looked at. They take some milliseconds to decode. */
const LOOK_BYTES = 256 * 1024;

/** Names the body in the text of its error. */
export interface BodyReading {
  /** The list or the watch. */
  readonly what: string;
  readonly traffic: TrafficCounter;
  /** Where the counters stood before. A list goes on over several answers. */
  readonly since: { readonly objects: number; readonly events: number; readonly bytes: number };
}

let room: MemoryRoom | undefined;
const fullOfProcess = () => {
  room ??= new MemoryRoom();
  return room.shortage();
};
/**
 * The bytes that all bodies together have read since the memory was last looked at: pages may be small, and several
 * collections are read at the same time.
 */
let unlooked = 0;

/**
 * The same body, which ends in an error before what is kept of it fills the memory of this process. V8 would end the
 * process. `return()` closes the body, also before the first chunk.
 */
export function bounded(
  body: AsyncIterableIterator<Uint8Array>,
  reading: BodyReading,
  shortage: () => string | undefined = fullOfProcess,
): AsyncIterableIterator<Uint8Array> {
  return {
    next: async () => {
      const result = await body.next();
      if (result.done) return result;
      unlooked += result.value.length;
      if (unlooked < LOOK_BYTES) return result;
      unlooked = 0;
      const full = shortage();
      if (full === undefined) return result;
      await body.return?.();
      throw tooMuch(reading.what, { full, read: amountOf(reading) });
    },
    return: async () => (await body.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function amountOf({ traffic, since }: BodyReading): string {
  const objects = traffic.objects - since.objects;
  const events = traffic.events - since.events;
  const counts = [
    ...(objects > 0 ? [`${thousands(objects)} objects`] : []),
    ...(events > 0 ? [`${thousands(events)} events`] : []),
  ];
  return `${counts.join(' and ') || 'no object'} (${thousands((traffic.bytes - since.bytes) / (1024 * 1024))} MiB)`;
}
