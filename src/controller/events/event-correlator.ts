import type { Clock } from '../../kit/clock.ts';
import { RecentMap } from '../../kit/recent-map.ts';
import type { KubeEvent } from './kube-event.ts';

/** The number of entries that each of the three memories keeps, those that were used last. */
const KEPT_ENTRIES = 4_096;
/** The number of different messages from which on Events are combined. */
const MOST_MESSAGES = 10;
/** A pause after which messages are counted from the start, ms. */
const MOST_PAUSE_MS = 600_000;
/** The number of Events about one object that may be written at once. */
const BURST = 25;
/** The time after which one more may be written, ms. */
const REFILL_MS = 300_000;

/** The Event to write: a new one, or one that was written before and is counted. */
export interface CorrelatedEvent {
  readonly event: KubeEvent;
  /** A strategic merge patch of the Event with this name, which was written before. Undefined for a new one. */
  readonly patch: Pick<KubeEvent, 'count' | 'lastTimestamp' | 'message'> | undefined;
}

interface Seen {
  readonly name: string;
  readonly firstTimestamp: string;
  readonly count: number;
}

interface Similar {
  readonly messages: Set<string>;
  readonly lastMs: number;
}

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * Decides what is written of each Event, so that a loop does not fill the server: equal ones are counted, ten with
 * different messages are combined, and more than 25 about one object are left out, but for one in five minutes. That
 * limit is one for all reasons and types (since 1.36 client-go has one for each type).
 * Source: client-go tools/record/events_cache.go.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new RecentMap<string, Similar>(KEPT_ENTRIES);
  readonly #seen = new RecentMap<string, Seen>(KEPT_ENTRIES);
  readonly #buckets = new RecentMap<string, Bucket>(KEPT_ENTRIES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The Event to write; undefined if there are too many. Also those are counted and combined. */
  correlate(event: KubeEvent): CorrelatedEvent | undefined {
    const counted = this.counted(event);
    return this.#accepts(event) ? counted : undefined;
  }

  /** The Event to write, without a limit of their number. */
  counted(event: KubeEvent): CorrelatedEvent {
    return this.#count(...this.#combine(event));
  }

  /** The Event, or one that combines it with others, and the key under which it is counted. */
  #combine(event: KubeEvent): [event: KubeEvent, key: string] {
    const now = this.#clock.monotonic();
    const key = keyOfSimilar(event);
    const last = this.#similar.peek(key);
    const messages = last && now - last.lastMs <= MOST_PAUSE_MS ? last.messages : new Set<string>();
    messages.add(event.message);
    this.#similar.set(key, { messages, lastMs: now });
    if (messages.size < MOST_MESSAGES) return [event, keyOfEqual(event)];
    messages.delete(messages.values().next().value as string);
    const { annotations: _, ...metadata } = event.metadata;
    const message = `(combined from similar events): ${event.message}`;
    return [{ ...event, metadata, message }, key];
  }

  #count(event: KubeEvent, key: string): CorrelatedEvent {
    const last = this.#seen.peek(key);
    const counted: KubeEvent = last
      ? {
          ...event,
          metadata: { ...event.metadata, name: last.name },
          firstTimestamp: last.firstTimestamp,
          count: last.count + 1,
        }
      : event;
    const { metadata, firstTimestamp, lastTimestamp, count, message } = counted;
    this.#seen.set(key, { name: metadata.name, firstTimestamp, count });
    return { event: counted, patch: last && { count, lastTimestamp, message } };
  }

  /** Whether the object's bucket has a token. Takes it. */
  #accepts(event: KubeEvent): boolean {
    const now = this.#clock.monotonic();
    const key = keyOfSubject(event);
    const last = this.#buckets.peek(key);
    const tokens = last ? Math.min(BURST, last.tokens + (now - last.atMs) / REFILL_MS) : BURST;
    const isAccepted = tokens >= 1;
    this.#buckets.set(key, { tokens: isAccepted ? tokens - 1 : tokens, atMs: now });
    return isAccepted;
  }
}

function keyOfSubject({ source, involvedObject }: KubeEvent): string {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return JSON.stringify([source.component, source.host, kind, namespace, name, uid, apiVersion]);
}

/** The key of Events that differ only in their messages, and in the field that they are about. */
function keyOfSimilar(event: KubeEvent): string {
  const { type, reason, reportingComponent, reportingInstance } = event;
  return JSON.stringify([keyOfSubject(event), type, reason, reportingComponent, reportingInstance]);
}

function keyOfEqual(event: KubeEvent): string {
  const { type, reason, message, involvedObject } = event;
  return JSON.stringify([keyOfSubject(event), involvedObject.fieldPath, type, reason, message]);
}
