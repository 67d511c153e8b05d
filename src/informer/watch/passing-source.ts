import { InformerError } from '../../kit/error.ts';
import { compareText } from '../../kit/text-order.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { ItemReading } from '../../model/item-reading.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ListOptions } from '../../model/list-options.ts';
import type { ListPage, ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { statusOf } from '../../model/status.ts';
import { type CallContext, hasConsistentUnpagedList, type ListerWatcher } from './lister-watcher.ts';

/** Takes the objects of one list, each once. */
export interface PassedObjects extends Omit<ItemReading, 'begin' | 'keeps' | 'take'> {
  keeps(object: ReadonlyObject): boolean;
  take(object: ReadonlyObject, text: string | undefined): void;
  /** Forgets all objects, for a list that begins again. False: some were printed already. */
  restart(): boolean;
  /** Called when the rest of the list comes from a later state than its beginning. */
  onLater(passed: number): void;
}

/** A server owes nothing while the reader of the output takes its time, ms. */
const OWES_NOTHING = 86_400_000;

/**
 * A source whose lists pass each object on when it arrives, and keep none: their pages are empty. A list that is
 * requested again because it broke off does not begin again where objects are printed already: it is requested at the
 * same version, and those objects are passed over. A server that does not know that version any more is asked for its
 * present state, of which the objects behind the last one are passed on.
 */
export class PassingSource implements ListerWatcher<UnknownObject> {
  readonly #source: ListerWatcher<UnknownObject>;
  readonly #objects: PassedObjects;
  /** The version of the list, once its first page has begun. */
  #version: string | undefined;
  /** The objects that came so far. */
  #passed = 0;
  #last: ReadonlyObject | undefined;
  /** The keys came in the order of a server's store. */
  #isInOrder = true;
  /** The list that was requested again is another one. */
  #isBroken = false;
  /** Whether an object that comes now is to be passed on. */
  #isNew: (object: ReadonlyObject, key: ObjectKey) => boolean = () => true;

  constructor(source: ListerWatcher<UnknownObject>, objects: PassedObjects) {
    this.#source = source;
    this.#objects = objects;
  }

  async list(options: ListOptions, context: CallContext): Promise<ListPage<UnknownObject>> {
    if (options.continue !== undefined || this.#passed === 0) return await this.#pass(options, context);
    if (this.#objects.restart()) {
      this.#passed = 0;
      this.#last = undefined;
      return await this.#pass(options, context);
    }
    return (await this.#passRest(options, context)) ?? (await this.#passLater(options, context));
  }

  watch: ListerWatcher<UnknownObject>['watch'] = (options, context) => this.#source.watch(options, context);

  async consistentUnpagedList(context: CallContext): Promise<boolean> {
    return await hasConsistentUnpagedList(this.#source, context);
  }

  supportsStreamingLists(): boolean {
    return this.#source.supportsStreamingLists?.() ?? true;
  }

  /** Passes on the rest of the list at its version; undefined if the server cannot list that. */
  async #passRest(options: ListOptions, context: CallContext): Promise<ListPage<UnknownObject> | undefined> {
    if (!this.#version || this.#version === '0') return undefined;
    let left = this.#passed;
    const last = this.#last;
    this.#isNew = (object) => {
      if (left === 0) return true;
      if (--left === 0 && !isSame(object, last)) this.#isBroken = true;
      return false;
    };
    try {
      return await this.#pass({ ...options, resourceVersion: this.#version, resourceVersionMatch: 'Exact' }, context);
    } catch (error) {
      if (statusOf(error) === undefined || left < this.#passed) throw error;
      return undefined;
    }
  }

  async #passLater(options: ListOptions, context: CallContext): Promise<ListPage<UnknownObject>> {
    if (!this.#isInOrder || !this.#last) throw brokenOff(this.#passed);
    const last = keyOf(this.#last);
    this.#version = undefined;
    this.#isNew = (_, key) => compareText(key, last) > 0;
    this.#objects.onLater(this.#passed);
    return await this.#pass(options, context);
  }

  #pass(options: ListOptions, context: CallContext): Promise<ListPage<UnknownObject>> {
    const objects = this.#objects;
    const reading: ItemReading = {
      fields: objects.fields,
      wholeFirst: objects.wholeFirst,
      needsText: objects.needsText,
      begin: (version) => {
        if (this.#passed === 0) this.#version = version;
      },
      keeps: (object) => !this.#isBroken && this.#keeps(object),
      take: (object, text) => objects.take(object, text),
      room: () => {
        if (this.#isBroken) throw brokenOff(this.#passed);
        const full = objects.room();
        if (full) context.alive?.(OWES_NOTHING);
        return full?.then(() => context.alive?.());
      },
    };
    return this.#source.list(options, { ...context, reading });
  }

  #keeps(object: ReadonlyObject): boolean {
    const key = keyOf(object);
    if (!this.#isNew(object, key)) return false;
    if (this.#last && this.#isInOrder) this.#isInOrder = compareText(keyOf(this.#last), key) < 0;
    this.#last = object;
    this.#passed++;
    return this.#objects.keeps(object);
  }
}

function isSame(object: ReadonlyObject, other: ReadonlyObject | undefined): boolean {
  return (
    object.metadata.uid === other?.metadata.uid && object.metadata.resourceVersion === other?.metadata.resourceVersion
  );
}

/** For a person: a list that broke off, and whose rest is of a later state. */
export const laterStateText = ({ gvr }: Pick<ResourceType, 'gvr'>, passed: number) =>
  `the list of ${formatGroupResource(gvr)} broke off after ${passed} objects, and the server does not know its state any more: the rest is of a later state, so what changed among the first ${passed} since then is not shown`;

const brokenOff = (passed: number) =>
  new InformerError('list', `the list broke off after ${passed} objects, and the server does not give its rest`, {
    hint: 'what was printed is a part of the list: run the command again',
  });
