import { aborted, onAbort } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { systemClock } from '../../kit/clock.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { LogFields, Logger } from '../../kit/logger.ts';
import { defaultLogger } from '../../kit/logger.ts';
import type { RandomSource } from '../../kit/random.ts';
import { Ring } from '../../kit/ring.ts';
import { inheriting, withSurroundings } from '../../kit/surroundings.ts';
import { ThinnedErrors } from '../../kit/thinned-errors.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { wireTime } from '../../model/instant.ts';
import { isAlreadyExists, isNotFound, statusOf } from '../../model/status.ts';
import { type CorrelatedEvent, EventCorrelator } from './event-correlator.ts';
import {
  type EventSubject,
  eventName,
  isSubject,
  type KubeEvent,
  type NamedSubject,
  type RecordedType,
  referenceTo,
} from './kube-event.ts';

/** The part of a client for Events that {@link EventRecorder} needs. A ResourceApi fits. */
export interface EventResource {
  create(event: object, options: { signal: AbortSignal }): Promise<unknown>;
  patch(name: string, body: object, options: { type: 'strategic'; signal: AbortSignal }): Promise<unknown>;
}

/** The part of a client that {@link EventRecorder} needs. A Client fits. */
export interface EventClient {
  resource(gvr: GroupVersionResource, options: { namespace: string }): EventResource;
}

/** Options of {@link EventRecorder}. */
export interface EventRecorderOptions {
  /** The program that reports, as `kubectl describe` shows it under "From". */
  component: string;
  /** The machine or pod on which it runs. Default: not written. */
  host?: string | undefined;
  /** Ends the recorder as {@link EventRecorder.close} does. */
  signal?: AbortSignal | undefined;
  /** The most Events that wait to be written. Further ones are dropped. Default 1,000. */
  queueSize?: number | undefined;
  /** The longest time that the end waits for Events to be written, ms. Default 5,000. */
  flushMs?: number | undefined;
  clock?: Clock | undefined;
  random?: RandomSource | undefined;
  logger?: Logger | undefined;
}

/** Options of {@link EventRecorder.event}. */
export interface EventOptions {
  /** Annotations of the Event. They are not written when Events are combined. */
  annotations?: Readonly<Record<string, string>> | undefined;
  /** The part of the object, such as `spec.containers{web}`. */
  fieldPath?: string | undefined;
}

/** How many Events a recorder got, and what became of them. All others wait or are being written. */
export interface EventCounts {
  /** Written: created, or counted on one that was there. */
  readonly written: number;
  /** Left out, because there were too many about one object. */
  readonly skipped: number;
  /** Dropped: the queue was full, the recorder had ended, or the Event was not complete. */
  readonly dropped: number;
  /** Refused by the server, or given up after the last try. */
  readonly failed: number;
}

const EVENTS: GroupVersionResource = { group: '', version: 'v1', resource: 'events' };
const QUEUE_SIZE = 1_000;
const FLUSH_MS = 5_000;
const MOST_TRIES = 12;
const RETRY_MS = 10_000;

const KNOWN_OPTIONS = {
  component: 'text',
  host: 'text',
  signal: 'signal',
  queueSize: 'number',
  flushMs: 'number',
  clock: 'clock',
  random: 'function',
  logger: 'logger',
} satisfies KnownOptionsOf<EventRecorderOptions>;
const KNOWN_EVENT_OPTIONS = { annotations: 'object', fieldPath: 'text' } satisfies KnownOptionsOf<EventOptions>;

/**
 * Writes Events about objects, for people who run `kubectl describe` or `kubectl get events`.
 *
 * Promises
 * - `event` returns at once, and never throws because of what the server does. Events are written one after the other,
 *   in their order. If more than `queueSize` wait, further ones are dropped, counted and logged.
 * - An Event that repeats is counted on the one that was written (`x12 over 5m`). From ten different messages within ten
 *   minutes of each other, Events with the same object, type and reason are combined into one. About one object, 25 are
 *   written at once, then one in five minutes; the rest is left out.
 * - A failed connection is tried again: 12 tries, 10 s apart. What the server refuses is logged and not tried again.
 * - After the end, which `close` or the signal asks for, nothing is written: the end waits at most `flushMs`.
 *
 * Does not promise that an Event arrives: they are for people, not for programs. Source: client-go tools/record.
 *
 * @example
 * const recorder = new EventRecorder(client, { component: 'my-operator', signal });
 * const web = await client.resource(DEPLOYMENTS, { namespace: 'shop' }).get('web');
 * recorder.event(web, 'Normal', 'Scaled', 'scaled from 2 to 3');
 * await recorder.close();
 */
export class EventRecorder {
  readonly #client: EventClient;
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #correlator: EventCorrelator;
  readonly #errors: ThinnedErrors;
  readonly #queue = new Ring<KubeEvent>();
  readonly #counts = { written: 0, skipped: 0, dropped: 0, failed: 0 };
  /** Aborts when the end begins: then nothing waits for a further try. */
  readonly #closing = new AbortController();
  /** Aborts when the end has waited long enough: then no request goes on. */
  readonly #closed = new AbortController();
  readonly #end: Disposable | undefined;
  #writing: Promise<void> | undefined;
  #made = 0n;

  constructor(client: EventClient, options: EventRecorderOptions) {
    checkOptions('EventRecorder', options, KNOWN_OPTIONS);
    options = inheriting(options, client);
    withSurroundings(this, options);
    if (!options.component) {
      throw new InformerError('argument', 'an EventRecorder needs a component', {
        hint: 'it is the name of your program: { component: "my-operator" }',
      });
    }
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? defaultLogger;
    this.#correlator = new EventCorrelator(this.#clock);
    this.#errors = new ThinnedErrors(this.#clock);
    this.#end = options.signal && onAbort(options.signal, () => void this.close());
  }

  /** How many Events were written, combined and dropped so far. */
  get counts(): EventCounts {
    return { ...this.#counts };
  }

  /**
   * Records an Event about `object`, which must have its apiVersion, kind and name. `reason` is one word in CamelCase,
   * for programs; `message` is a sentence. The Event is in the namespace of the object, or in `default`. An Event with
   * another type, or about an object that lacks one of the three, is dropped and logged. Throws `argument` for unknown
   * options.
   */
  event(object: EventSubject, type: RecordedType, reason: string, message: string, options: EventOptions = {}): void {
    checkOptions('event', options, KNOWN_EVENT_OPTIONS);
    const subject = { object: `${object?.kind} ${object?.metadata?.name}`, type, reason };
    if (type !== 'Normal' && type !== 'Warning') {
      this.#drop(subject, 'its type is neither Normal nor Warning');
    } else if (!isSubject(object)) {
      this.#drop(subject, 'its object needs apiVersion, kind and metadata.name');
    } else if (this.#closing.signal.aborted) {
      this.#drop(subject, 'the recorder has ended');
    } else if (this.#queue.size >= (this.#options.queueSize ?? QUEUE_SIZE)) {
      this.#drop(subject, 'too many are waiting');
    } else {
      this.#queue.push(this.#eventOf(object, type, reason, message, options));
      this.#writing ??= this.#writeAll();
    }
  }

  /** Resolves when no Event waits: all that were recorded are written, or given up. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Takes no more Events, writes those that wait within `flushMs`, and drops the rest. Never rejects. */
  async close(): Promise<void> {
    this.#end?.[Symbol.dispose]();
    this.#closing.abort();
    using _ = this.#clock.after(this.#options.flushMs ?? FLUSH_MS, () => this.#closed.abort());
    await this.#writing;
  }

  /**
   * Runs until the signal aborts, then closes. For a manager, which ends recorders last, so that the Events of all other
   * parts are written.
   */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    await this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #eventOf(
    object: NamedSubject,
    type: RecordedType,
    reason: string,
    message: string,
    options: EventOptions,
  ): KubeEvent {
    const now = this.#clock.now();
    const { component, host } = this.#options;
    const { annotations, fieldPath } = options;
    const involvedObject = referenceTo(object, fieldPath);
    const nanos = BigInt(Math.trunc(now)) * 1_000_000n + (this.#made++ % 1_000_000n);
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: eventName(involvedObject.name, nanos),
        namespace: involvedObject.namespace ?? 'default',
        ...(annotations ? { annotations: { ...annotations } } : {}),
      },
      involvedObject,
      type,
      reason,
      message,
      source: { component, ...(host ? { host } : {}) },
      reportingComponent: component,
      reportingInstance: host ?? '',
      firstTimestamp: wireTime(now),
      lastTimestamp: wireTime(now),
      count: 1,
    };
  }

  async #writeAll(): Promise<void> {
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) {
      if (this.#closed.signal.aborted) this.#drop(fieldsOf(event), 'the recorder has ended');
      else await this.#correlateAndWrite(event);
    }
    this.#writing = undefined;
  }

  async #correlateAndWrite(event: KubeEvent): Promise<void> {
    const correlated = this.#correlator.correlate(event);
    if (!correlated) {
      this.#counts.skipped++;
      return;
    }
    const error = await this.#tryToWrite(correlated);
    if (error === undefined) {
      this.#counts.written++;
      return;
    }
    this.#counts.failed++;
    if (isAlreadyExists(error)) this.#logger.debug('an Event is there already', fieldsOf(event));
    else if (isInEndingNamespace(error))
      this.#logger.debug('an Event was not written: its namespace is ending', fieldsOf(event));
    else this.#errors.report(this.#logger, 'an Event was not written', { ...fieldsOf(event), error: messageOf(error) });
  }

  /** Writes an Event, with further tries while no answer comes. The error of the last try; undefined if it is written. */
  async #tryToWrite(correlated: CorrelatedEvent): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#write(correlated);
        return undefined;
      } catch (error) {
        if (isFinal(error) || tries === MOST_TRIES || this.#closing.signal.aborted) return error;
        const random = this.#options.random ?? Math.random;
        const pauseMs = tries === 1 ? RETRY_MS * random() : RETRY_MS; // so that many programs do not try at one moment
        await this.#clock.sleep(pauseMs, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }

  async #write({ event, patch }: CorrelatedEvent): Promise<void> {
    const { name, namespace } = event.metadata;
    const resource = this.#client.resource(EVENTS, { namespace });
    const { signal } = this.#closed;
    if (patch) {
      try {
        await resource.patch(name, patch, { type: 'strategic', signal });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error; // it expired: servers keep Events for an hour
      }
    }
    await resource.create(event, { signal });
  }

  #drop(fields: LogFields, why: string): void {
    this.#counts.dropped++;
    this.#errors.report(this.#logger, 'an Event was dropped', { ...fields, why });
  }
}

/** Whether a further try cannot help: the server has answered, or the request cannot be made. */
function isFinal(error: unknown): boolean {
  return statusOf(error) !== undefined || isInformerError(error, 'argument');
}

/** Nothing can be created in a namespace that is being deleted. Source: client-go tools/record recordEvent. */
function isInEndingNamespace(error: unknown): boolean {
  return statusOf(error)?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;
}

function fieldsOf({ involvedObject: { kind, name }, type, reason }: KubeEvent): LogFields {
  return { object: `${kind} ${name}`, type, reason };
}
