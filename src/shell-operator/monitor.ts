import type { InformerHandler } from '../informer/handlers/notification.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { jsonText } from '../kit/exact-json.ts';
import { formatGroupVersion } from '../model/gvr.ts';
import type { ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { EventName, KubernetesBinding } from './hook-config.ts';
import type { ObjectFilter } from './object-filter.ts';

/** An object of a binding, as a run gets it. */
export interface Entry {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  /** Undefined where the binding keeps none. */
  readonly object: ReadonlyObject | undefined;
  /** The result of the jqFilter as JSON; undefined without one. */
  readonly filtered: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** An event of a binding. */
export interface BindingEvent {
  readonly watchEvent: EventName;
  readonly entry: Entry;
}

export interface MonitorOptions {
  readonly hook: string;
  readonly binding: KubernetesBinding;
  readonly filter: ObjectFilter | undefined;
  /** Called with each event that is for the hook, in order. */
  readonly onEvent: (event: BindingEvent) => void;
  /** Called when the filter fails on an object, whose event is left out. */
  readonly onFailure: (error: Error) => void;
  /** Hides what the hook may not see. */
  readonly redact: (object: UnknownObject, type: ResourceType) => UnknownObject;
  readonly signal: AbortSignal;
}

interface Change {
  readonly watchEvent: EventName;
  readonly object: UnknownObject;
  readonly type: ResourceType;
}

/** The most JSON in one call of jq, in characters, and the most objects that may wait for it. */
const BATCH_CHARS = 4 * 1024 * 1024;
const MOST_WAITING = 5_000;

/**
 * The objects of one binding: what passes its filter, up to date, and the events that this makes. Until
 * {@link Monitor.unlock} events are kept: first the hook is to see the whole state. A change that leaves the result of
 * the filter as it was is no event. Source: shell-operator pkg/kube_events_manager/resource_informer.go.
 */
export class Monitor {
  readonly binding: KubernetesBinding;
  readonly #options: MonitorOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #states = new Map<string, string>();
  #waiting: Change[] = [];
  #kept: BindingEvent[] | undefined = [];
  #isLoading = true;
  #pump: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.binding = options.binding;
  }

  /** Whether changes wait for the filter. */
  get isBusy(): boolean {
    return this.#pump !== undefined;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Takes the changes of a cache; of those with other names than these, none. */
  handler(type: ResourceType, names: ReadonlySet<string> | undefined): InformerHandler<UnknownObject> {
    const take = (watchEvent: EventName) => (given: unknown) => {
      const object = given as UnknownObject;
      if (names && !names.has(object.metadata.name ?? '')) return undefined;
      return this.#take({ watchEvent, object, type });
    };
    const modified = take('Modified');
    return { added: take('Added'), updated: (_, object) => modified(object), deleted: take('Deleted') };
  }

  /** Drops the objects of a cache that is not read any more: they have left the binding. */
  leave(objects: Iterable<UnknownObject>, type: ResourceType): void {
    for (const object of objects) void this.#take({ watchEvent: 'Deleted', object, type });
  }

  /** Resolves when every object that came so far has passed the filter. Rejects if it failed on one of the first. */
  async loaded(): Promise<void> {
    while (this.#pump) await this.#pump;
    if (this.#failure) throw this.#failure;
    this.#isLoading = false;
  }

  /** The objects now, by namespace and name. Events that are kept meanwhile are in it, and dropped. */
  snapshot(): Entry[] {
    if (this.#kept) this.#kept = [];
    return [...this.#entries.values()].sort(byPlace);
  }

  /** Lets events through from now on, with those that were kept. */
  unlock(): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const event of kept) this.#options.onEvent(event);
  }

  /** A cache waits for it only where very much has come. */
  #take(change: Change): Promise<void> | undefined {
    this.#waiting.push(change);
    this.#pump ??= this.#work().finally(() => {
      this.#pump = undefined;
    });
    return this.#waiting.length > MOST_WAITING ? this.#pump : undefined;
  }

  async #work(): Promise<void> {
    const { filter, signal } = this.#options;
    await undefined; // what comes together is filtered together
    while (this.#waiting.length > 0 && !signal.aborted) {
      const changes = this.#waiting;
      this.#waiting = [];
      if (!filter) for (const change of changes) this.#apply(change, undefined);
      else for (const batch of batchesOf(changes, this.#options)) await this.#filter(batch, filter);
    }
  }

  async #filter({ changes, texts }: Batch, filter: ObjectFilter): Promise<void> {
    const { signal } = this.#options;
    const results = await filter.apply(texts, signal).catch((error: Error) => error);
    if (signal.aborted) return;
    if (results instanceof Error) return this.#failed(changes, results);
    for (const [i, change] of changes.entries()) {
      const result = results[i] as string | Error;
      if (typeof result === 'string') this.#apply(change, result);
      else this.#failed([change], result);
    }
  }

  /** One result is missing, or those of a whole batch. */
  #failed(changes: readonly Change[], cause: Error): void {
    const { hook, binding, onFailure } = this.#options;
    const { namespace = '', name } = changes[0]?.object.metadata ?? {};
    const others = changes.length === 1 ? '' : ` and ${changes.length - 1} more`;
    const place = `${namespace === '' ? name : `${namespace}/${name}`}${others}`;
    const error = new InformerError('hook', `${hook} ${binding.at}.jqFilter fails on ${place}: ${messageOf(cause)}`, {
      cause,
    });
    if (this.#isLoading) this.#failure ??= error;
    else onFailure(error);
  }

  #apply({ watchEvent, object, type }: Change, filtered: string | undefined): void {
    const { binding, onEvent, redact } = this.#options;
    const { namespace = '', name = '', uid, resourceVersion } = object.metadata;
    const key = `${namespace}/${name}`;
    const shown = binding.keepsObjects ? redact(typed(object, type), type) : undefined;
    const entry: Entry = { namespace, name, kind: type.kind, object: shown, filtered, resourceVersion };
    if (watchEvent === 'Deleted') {
      this.#entries.delete(key);
      this.#states.delete(key);
    } else {
      const state = filtered ?? `${uid} ${resourceVersion}`;
      const isSame = this.#states.get(key) === state;
      this.#entries.set(key, entry);
      this.#states.set(key, state);
      if (isSame) return;
    }
    if (this.#isLoading || !binding.events.has(watchEvent)) return;
    const event = { watchEvent, entry };
    if (this.#kept) this.#kept.push(event);
    else onEvent(event);
  }
}

interface Batch {
  readonly changes: readonly Change[];
  readonly texts: readonly string[];
}

function* batchesOf(changes: readonly Change[], { redact }: MonitorOptions): Generator<Batch> {
  let batch: { changes: Change[]; texts: string[] } = { changes: [], texts: [] };
  let chars = 0;
  for (const change of changes) {
    const text = jsonText(redact(typed(change.object, change.type), change.type)) ?? 'null';
    batch.changes.push(change);
    batch.texts.push(text);
    chars += text.length;
    if (chars < BATCH_CHARS) continue;
    yield batch;
    batch = { changes: [], texts: [] };
    chars = 0;
  }
  if (batch.changes.length > 0) yield batch;
}

/** Objects from a list lack their type. */
function typed(object: UnknownObject, { gvr, kind }: ResourceType): UnknownObject {
  return object.kind && object.apiVersion ? object : { ...object, apiVersion: formatGroupVersion(gvr), kind };
}

function byPlace(a: Entry, b: Entry): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
