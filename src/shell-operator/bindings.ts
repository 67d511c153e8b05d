import type { Client } from '../client/client.ts';
import type { Registration } from '../informer/handlers/registration.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Caches, CacheUse } from './caches.ts';
import { findType } from './find-type.ts';
import type { OperatorHook } from './load-hooks.ts';
import { type BindingEvent, Monitor, type MonitorOptions } from './monitor.ts';
import type { ObjectFilter } from './object-filter.ts';

export interface BindingsOptions extends Pick<MonitorOptions, 'redact' | 'onFailure' | 'signal'> {
  readonly hook: OperatorHook;
  readonly client: Client;
  readonly caches: Caches;
  /** The jqFilters, by their texts. */
  readonly filters: ReadonlyMap<string, ObjectFilter>;
  readonly onEvent: (monitor: Monitor, event: BindingEvent) => void;
}

/** A cache that a monitor reads. */
interface Reading {
  readonly lease: CacheUse;
  readonly registration: Registration;
}

/** The kubernetes bindings of a hook at work: their monitors, and the caches that these read. */
export class HookBindings implements Disposable {
  readonly monitors: readonly Monitor[];
  readonly #options: BindingsOptions;
  readonly #readings = new Set<Reading>();

  constructor(options: BindingsOptions) {
    this.#options = options;
    const { hook, filters, redact, onFailure, signal, onEvent } = options;
    this.monitors = hook.config.kubernetes.map((binding): Monitor => {
      const filter = filters.get(binding.jqFilter);
      const notify = (event: BindingEvent) => onEvent(monitor, event);
      const monitor = new Monitor({ hook: hook.name, binding, filter, redact, onFailure, signal, onEvent: notify });
      return monitor;
    });
  }

  /** Resolves when every monitor has the whole state. Rejects, and ends all, if one cannot have it. */
  async start(): Promise<void> {
    try {
      for (const monitor of this.monitors) await this.#watch(monitor);
      await this.#synced([...this.#readings]);
      for (const monitor of this.monitors) await monitor.loaded();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    for (const reading of this.#readings) this.#end(reading);
  }

  async #watch(monitor: Monitor): Promise<void> {
    const { hook, client } = this.#options;
    const { at, apiVersion, kind, namespaces, namespaceSelector } = monitor.binding;
    const type = await findType(client, apiVersion, kind).catch((cause) => {
      const { hint } = cause as { hint?: string };
      throw new InformerError('discovery', `${hook.name} ${at}: ${messageOf(cause)}`, { cause, hint });
    });
    if (namespaceSelector === undefined) this.#read(monitor, type, namespaces.length === 0 ? [''] : namespaces);
    else await this.#follow(monitor, type, namespaceSelector);
  }

  /** Reads the namespaces of a selector, and from then on those that begin to match, until they do not. */
  async #follow(monitor: Monitor, type: ResourceType, selector: string): Promise<void> {
    const { client, caches } = this.#options;
    const all = await findType(client, 'v1', 'Namespace');
    const lease = caches.use({ ...NO_CHOICE, type: all, namespaces: [''], selector });
    const followed = new Map<string, Reading>();
    const registration = lease.target.informer.addHandler({
      added: ({ metadata: { name = '' } }) => void followed.set(name, this.#read(monitor, type, [name])),
      deleted: ({ metadata: { name = '' } }) => {
        const reading = followed.get(name);
        if (!reading) return;
        followed.delete(name);
        monitor.leave(reading.lease.target.informer.lister.list() as Iterable<UnknownObject>, type);
        this.#end(reading);
      },
    });
    const reading = { lease, registration };
    this.#readings.add(reading);
    await this.#synced([reading]);
  }

  #read(monitor: Monitor, type: ResourceType, namespaces: readonly string[]): Reading {
    const { names, selector, fieldSelector, resyncMs } = monitor.binding;
    const lease = this.#options.caches.use({ type, namespaces, names, selector, fieldSelector, resyncMs });
    const registration = lease.target.informer.addHandler(monitor.handler(type, lease.target.names));
    const reading = { lease, registration };
    this.#readings.add(reading);
    return reading;
  }

  /** Resolves when the monitors have got every object. Rejects if a cache is refused. */
  async #synced(readings: readonly Reading[]): Promise<void> {
    const { caches, signal } = this.#options;
    await caches.synced(
      readings.map(({ lease }) => lease.target),
      signal,
    );
    await Promise.all(readings.map(({ registration }) => registration.whenSynced(signal)));
  }

  #end(reading: Reading): void {
    this.#readings.delete(reading);
    reading.registration.remove();
    reading.lease[Symbol.dispose]();
  }
}

const NO_CHOICE = { names: [], selector: undefined, fieldSelector: undefined, resyncMs: undefined };
