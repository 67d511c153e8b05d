import type { Session } from '../cli/session/session.ts';
import { abortable } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { formatGvr } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { statusOf } from '../model/status.ts';

/** Types that are counted for one answer. */
const MOST_TYPES = 60;
/** Requests at a time. */
const AT_ONCE = 8;
/** A count that takes longer is left out, ms. */
const LONGEST_MS = 3000;
/** A count is asked for again after this time, ms. */
const KEPT_MS = 60_000;

/** How many objects of a type a server has; or why that is not known now, as `403`. Both: the number is one of before. */
export interface ServedCount {
  readonly count: number | undefined;
  readonly why: string | undefined;
  /** When the server gave the number, or refused it, ms since 1970; 0 if it was too slow. */
  readonly at: number;
}

/** The number behind the name of a type, or why there is none. */
export function servedCountText(served: ServedCount | undefined): string {
  if (served === undefined) return '';
  const { count, why } = served;
  if (count === undefined) return ` (${why})`;
  return why === undefined ? ` ${count}` : ` ${count} (before; now ${why})`;
}

/**
 * The number of objects of types that are not cached. The server is asked for one object's metadata of each, and says how
 * many more there are, so that nothing of the objects is read. An answer is remembered for a minute. A number stays until
 * there is another one.
 */
export class ServedCounts {
  readonly #session: Pick<Session, 'client' | 'clock'>;
  readonly #known = new Map<string, ServedCount>();
  /** When an answer of the server came, by type, ms since 1970. */
  readonly #answeredAt = new Map<string, number>();

  constructor(session: Pick<Session, 'client' | 'clock'>) {
    this.#session = session;
  }

  /** The counts by type, as far as they are known in time. No more than 60 types are counted. */
  async of(types: readonly ResourceType[], signal: AbortSignal): Promise<ReadonlyMap<string, ServedCount>> {
    const { clock } = this.#session;
    const counted = types.slice(0, MOST_TYPES);
    const isKnown = ({ gvr }: ResourceType) => clock.now() - (this.#answeredAt.get(formatGvr(gvr)) ?? 0) < KEPT_MS;
    const left = counted.filter((type) => !isKnown(type));
    const late = lateSignal(clock, signal);
    try {
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let type = left.shift(); type && !late.signal.aborted; type = left.shift()) {
            const id = formatGvr(type.gvr);
            this.#note(id, await this.#countOf(type, late.signal));
          }
        }),
      );
    } finally {
      late.timer.cancel();
    }
    signal.throwIfAborted();
    return new Map(counted.flatMap(({ gvr }) => { const id = formatGvr(gvr); const known = this.#known.get(id); return known ? [[id, known] as const] : []; })); // biome-ignore format: one map
  }

  #note(id: string, served: ServedCount): void {
    const before = this.#known.get(id);
    if (served.at > 0) this.#answeredAt.set(id, served.at);
    else if (before) return;
    this.#known.set(
      id,
      served.count === undefined && before?.count !== undefined ? { ...before, why: served.why } : served,
    );
  }

  async #countOf({ gvr }: ResourceType, signal: AbortSignal): Promise<ServedCount> {
    const { client, clock } = this.#session;
    try {
      const api = client.resource<UnknownObject>(gvr, { as: 'metadata' });
      const page = await abortable(api.list({ limit: 1 }, { signal }), signal);
      const { items, continue: more, remainingItemCount } = page;
      const isWhole = more === undefined || more === '';
      const count = isWhole ? items.length : remainingItemCount === undefined ? undefined : items.length + remainingItemCount; // biome-ignore format: one choice
      return { count, why: count === undefined ? 'not counted' : undefined, at: clock.now() };
    } catch (error) {
      const code = statusOf(error)?.code;
      return { count: undefined, why: signal.aborted ? 'too slow' : code === undefined ? 'no answer' : String(code), at: signal.aborted ? 0 : clock.now() }; // biome-ignore format: one record
    }
  }
}

function lateSignal(clock: Clock, signal: AbortSignal) {
  const late = new AbortController();
  const timer = clock.after(LONGEST_MS, () => late.abort(new Error('too slow')));
  return { signal: AbortSignal.any([signal, late.signal]), timer };
}
