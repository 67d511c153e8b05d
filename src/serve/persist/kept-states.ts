import type { SharedInformer } from '../../informer/shared-informer.ts';
import type { StoredState } from '../../informer/watch/stored-state.ts';
import type { Clock } from '../../kit/clock.ts';
import { humanDuration } from '../../kit/duration.ts';
import { messageOf } from '../../kit/error.ts';
import { thousands } from '../../kit/thousands.ts';
import { formatGvr, isSecretResource } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { StateFault } from './state-fault.ts';
import { StateFile } from './state-file.ts';
import { StateStore } from './state-store.ts';
import { columnsTextOf, objectsOfRows, StateWriter } from './state-writer.ts';

/** The stored states of a type's sources, by namespace. */
export type StoredStates = ReadonlyMap<string, StoredState<UnknownObject>>;

/** The command that holds the caches. */
interface Holder {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Gets lines for a person. */
  notice(text: string): void;
}

interface KeptCache {
  readonly type: ResourceType;
  readonly informer: SharedInformer<UnknownObject>;
}

type Identity = Pick<ReadonlyObject['metadata'], 'uid' | 'resourceVersion'>;

const NONE: StoredStates = new Map();
/** How long to wait until it is known whether a watch was resumed, ms. */
const SETTLED_MS = 5000;

/** The states of a serve's caches on disk. What cannot be stored or read is said once; the serve goes on without. */
export class KeptStates implements AsyncDisposable {
  readonly #holder: Holder;
  readonly #store: StateStore;
  readonly #writers: StateWriter[] = [];
  readonly #columns = new Map<string, string | undefined>();
  #hasFault = false;

  private constructor(holder: Holder, store: StateStore) {
    this.#holder = holder;
    this.#store = store;
  }

  /** Opens the states in the file that `place` finds. Undefined, after a notice, if they cannot be used. Never rejects. */
  static async open(holder: Holder, place: () => Promise<string>): Promise<KeptStates | undefined> {
    const { clock, notice } = holder;
    try {
      const file = await place();
      try {
        return new KeptStates(holder, await StateStore.open(file, clock.now()));
      } catch (error) {
        if (!(error instanceof StateFault && error.kind === 'damaged')) throw error;
        StateFile.setAside(file);
        notice(`${messageOf(error)}: it is set aside as ${file}.damaged, and the types are listed`);
        return new KeptStates(holder, await StateStore.open(file, clock.now()));
      }
    } catch (error) {
      if (!holder.signal.aborted) notice(`--persist has no effect: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** The stored states of a type. Empty if there are none that can be used. Never rejects. */
  async statesOf(type: ResourceType, namespaces: readonly string[], form: string): Promise<StoredStates> {
    if (isSecretResource(type.gvr)) {
      this.#holder.notice(`${formatGvr(type.gvr)}: not kept on disk, because values of Secrets never are`);
      return NONE;
    }
    const states = new Map<string, StoredState<UnknownObject>>();
    for (const namespace of namespaces) {
      try {
        const found = await this.#store.read(scopeOf(type, namespace, form));
        if (!found) continue;
        const objects = await objectsOfRows(found, this.#holder.clock);
        this.#columns.set(scopeOf(type, namespace, form), columnsTextOf(found));
        states.set(namespace, { objects, resourceVersion: found.resourceVersion, at: found.at });
      } catch (error) {
        this.#holder.notice(`${formatGvr(type.gvr)}: the stored state is not used: ${messageOf(error)}`);
      }
    }
    return states;
  }

  /** Stores the states of a type from now on. Its informer must not run yet. */
  follow({ type, informer }: KeptCache, namespaces: readonly string[], form: string): void {
    if (isSecretResource(type.gvr)) return;
    const writers = namespaces.map(
      (namespace) =>
        new StateWriter({
          scope: scopeOf(type, namespace, form),
          columnsText: this.#columns.get(scopeOf(type, namespace, form)),
          target: this.#store,
          clock: this.#holder.clock,
          onFault: (error) => this.#failed(error),
        }),
    );
    this.#writers.push(...writers);
    informer.onState((change) => writers[change.source]?.take(change));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.idle()));
    await this.#store[Symbol.asyncDispose]();
  }

  #failed(error: unknown): void {
    if (this.#hasFault) return;
    this.#hasFault = true;
    this.#holder.notice(`the caches are not stored any more: ${messageOf(error)}; questions are answered as before`);
  }
}

const scopeOf = ({ gvr }: ResourceType, namespace: string, form: string) =>
  JSON.stringify([formatGvr(gvr), namespace, form]);

/** The net changes since stored states, counted until the first sync. */
export class ChangesSince {
  readonly #target: Pick<KeptCache, 'informer'>;
  readonly #states: StoredStates;
  /** The identity of each changed object: in the stored state, and at last. Undefined: it was or is not there. */
  readonly #changed = new Map<ObjectKey, { before: Identity | undefined; now: Identity | undefined }>();

  constructor(target: Pick<KeptCache, 'informer'>, states: StoredStates) {
    this.#target = target;
    this.#states = states;
    if (states.size === 0) return;
    const registration = target.informer.addHandler({
      added: (object, { key, cause }) => {
        if (cause !== 'initial') this.#note(key, undefined, object);
      },
      updated: (old, object, { key }) => this.#note(key, old, object),
      deleted: (object, { key }) => this.#note(key, object, undefined),
      synced: () => registration.remove(),
    });
  }

  #note(key: ObjectKey, before: ReadonlyObject | undefined, now: ReadonlyObject | undefined): void {
    const known = this.#changed.get(key);
    this.#changed.set(key, { before: known ? known.before : before?.metadata, now: now?.metadata });
  }

  #countText(): string {
    let [added, deleted, changed] = [0, 0, 0];
    for (const { before, now } of this.#changed.values()) {
      const isOther = before?.uid !== now?.uid;
      if (now && isOther) added++;
      if (before && isOther) deleted++;
      if (before && now && !isOther && before.resourceVersion !== now.resourceVersion) changed++;
    }
    return `${added} added, ${deleted} deleted, ${changed} changed since`;
  }

  /** The text about the start; undefined if there was no stored state. */
  async text({ clock, signal }: Pick<Holder, 'clock' | 'signal'>): Promise<string | undefined> {
    const { informer } = this.#target;
    if (this.#states.size === 0) return undefined;
    const isOpen = () => informer.continuity.some(({ relists, resumes }) => relists + resumes > 0);
    for (let waited = 0; !isOpen() && waited < SETTLED_MS; waited += 100) await clock.sleep(100, { signal });
    const age = humanDuration(clock.now() - Math.min(...[...this.#states.values()].map(({ at }) => at)));
    const changes = this.#countText();
    if (informer.continuity.some(({ relists }) => relists > 0)) return `history is gone: listed again; ${changes}`;
    const stored = [...this.#states.values()].reduce((sum, { objects }) => sum + objects.length, 0);
    return `resumed ${thousands(stored)} objects from ${age} ago, verified; ${changes}`;
  }
}
