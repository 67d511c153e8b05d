import type { RandomSource } from '../../src/kit/random.ts';
import { type Api, ApiError, type WatchedObject } from './api.ts';
import { Journal, type JournalRecord } from './journal.ts';

/** What the replicas reconcile: a type that holds what it is given, and of which there is nothing else. */
export const TYPE = 'serviceaccounts';

/** An object as the server has it. */
interface Thing {
  readonly version: number;
  readonly isEnding: boolean;
}

/** The objects that replicas reconcile, and what the server recorded about them. */
export class World {
  readonly journal = new Journal();
  readonly #api: Api;
  readonly #keys: readonly string[];
  readonly #random: RandomSource;
  readonly #things = new Map<string, Thing>();
  /** Since when a key has a change that no run has seen to its end, ms. */
  readonly #waiting = new Map<string, { version: number; since: number }>();
  readonly waits: number[] = [];
  #version = 0;
  changes = 0;

  constructor(api: Api, { keys, namespaces, random }: { keys: number; namespaces: number; random: RandomSource }) {
    this.#api = api;
    this.#random = random;
    this.#keys = Array.from({ length: keys }, (_, i) => `n${i % namespaces}/thing-${i}`);
  }

  /** Creates all of it, and reads the record from then on. Resolves when the first objects are there. */
  async begin(signal: AbortSignal, fail: (error: unknown) => void): Promise<void> {
    const namespaces = new Set(['journal', ...this.#keys.map(namespaceOf)]);
    for (const name of namespaces) await this.#create('/api/v1/namespaces', { metadata: { name } });
    for (const key of this.#keys) {
      const metadata = { name: key.replace('/', '.') };
      await this.#create('/api/v1/namespaces/journal/configmaps', { metadata });
    }
    const watch = (path: string, see: (type: string, object: WatchedObject) => void) =>
      void this.#api.watch(path, see, signal).catch(fail);
    watch('/api/v1/namespaces/journal/configmaps?watch=1', (_, object) => this.#recorded(object));
    watch(`/api/v1/${TYPE}?watch=1`, (type, object) => this.#saw(type, object));
    for (const key of this.#keys) await this.#change(key);
  }

  /** Changes objects at random, `perSecond` times, until the signal aborts. */
  async change(perSecond: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, (2 * this.#random() * 1000) / perSecond));
      await this.#change(this.#keys[Math.floor(this.#random() * this.#keys.length)] as string);
    }
  }

  /** The keys that exist and are not about to go. */
  present(keys: readonly string[]): string[] {
    return keys.filter((key) => this.#things.get(key)?.isEnding === false);
  }

  /** What no run has seen to its end. */
  unfinished(): string[] {
    return [...this.#things].flatMap(([key, { version, isEnding }]) => {
      if (isEnding) return [`${key} waits for its finalizer`];
      const done = this.journal.doneOf(key);
      return done < version ? [`${key} has version ${version}, and the last run that ended had ${done}`] : [];
    });
  }

  async #change(key: string): Promise<void> {
    const thing = this.#things.get(key);
    if (thing?.isEnding) return;
    const version = String(++this.#version);
    const collection = `/api/v1/namespaces/${namespaceOf(key)}/${TYPE}`;
    const name = key.slice(key.indexOf('/') + 1);
    this.changes++;
    try {
      if (!thing) {
        await this.#api.send('POST', collection, { metadata: { name, annotations: { version } } });
      } else if (this.#random() < DELETED) await this.#api.send('DELETE', `${collection}/${name}`);
      else {
        const type = 'application/merge-patch+json';
        await this.#api.send('PATCH', `${collection}/${name}`, { metadata: { annotations: { version } } }, type);
      }
    } catch (error) {
      // the watch is behind: it is there already, or gone already
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
    }
  }

  async #create(collection: string, object: object): Promise<void> {
    await this.#api.send('POST', collection, object).catch((error) => {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    });
  }

  #saw(type: string, { metadata: { namespace, name, deletionTimestamp, annotations } }: WatchedObject): void {
    const key = `${namespace}/${name}`;
    const version = Number(annotations?.version);
    if (type === 'DELETED') {
      this.#things.delete(key);
      this.#waiting.delete(key);
      return;
    }
    const before = this.#things.get(key);
    this.#things.set(key, { version, isEnding: deletionTimestamp !== undefined });
    if (before?.version === version) return;
    const since = this.#waiting.get(key)?.since ?? performance.now();
    this.#waiting.set(key, { version, since });
  }

  #recorded({ metadata, data }: WatchedObject): void {
    if (data?.run === undefined) return;
    const { replica = '', run, what, version } = data;
    const key = metadata.name.replace('.', '/');
    const at = performance.now();
    this.journal.add({ key, replica, run, what: what as JournalRecord['what'], version: Number(version), at });
    const waiting = this.#waiting.get(key);
    if (what !== 'end' || !waiting || Number(version) < waiting.version) return;
    this.waits.push(at - waiting.since);
    this.#waiting.delete(key);
  }
}

/** The part of the changes that deletes an object. */
const DELETED = 0.1;

const namespaceOf = (key: string) => key.slice(0, key.indexOf('/'));
