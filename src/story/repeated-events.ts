import type { EventFact } from './situation.ts';

/** The Events of pods that only repeat what their state says. */
const REPEATED = ['Scheduled', 'Created', 'Started'];

/** Which Events of a story say something new. An Event that repeats is shown again when its number has doubled. */
export class RepeatedEvents {
  /** How often the same was said about an object, and up to which number it was shown. */
  readonly #said = new Map<string, { total: number; shown: number; readonly counts: Map<string, number> }>();

  /** The text of an Event; undefined if it says nothing new. */
  newsOf({ uid, reason, message, count, about }: EventFact): string | undefined {
    if (about.kind === 'Pod' && REPEATED.includes(reason)) return undefined;
    const key = `${about.kind} ${about.namespace} ${about.name} ${reason} ${message}`;
    const said = this.#said.get(key) ?? { total: 0, shown: 0, counts: new Map() };
    this.#said.set(key, said);
    said.total += count - (said.counts.get(uid) ?? 0);
    said.counts.set(uid, count);
    if (said.shown > 0 && said.total < said.shown * 2) return undefined;
    said.shown = said.total;
    const times = said.total > 1 ? ` (${said.total} times)` : '';
    return `${reason}: ${message.trim()}${times}`;
  }
}
