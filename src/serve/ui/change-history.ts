import { Ring } from '../../kit/ring.ts';
import type { UiChange } from './wire.ts';

export interface ChangeHistoryLimits {
  /** Changes of all objects together. Default 20,000. */
  readonly changes?: number | undefined;
  /** Changes of one object. Default 100. */
  readonly perObject?: number | undefined;
  /** Characters of all changes together. Default 16,000,000. */
  readonly characters?: number | undefined;
}

interface Kept {
  readonly id: string;
  readonly change: UiChange;
  readonly size: number;
  isDropped: boolean;
}

/** The changes of one object, the oldest first. */
interface Own {
  readonly changes: Kept[];
  /** The time of the latest change that was dropped because the object had too many. */
  droppedAt: number;
}

/**
 * The latest changes of objects, within limits: beyond them the oldest ones are dropped, and `since` says from when on
 * the rest is complete. It keeps texts, which are redacted already, and no objects.
 */
export class ChangeHistory {
  readonly #limits: Required<{ [K in keyof ChangeHistoryLimits]: number }>;
  readonly #all = new Ring<Kept>();
  readonly #byObject = new Map<string, Own>();
  /** The history of every object is complete after this moment, except for those with too many changes. */
  #completeSince: number;
  #count = 0;
  #characters = 0;

  constructor(startedAt: number, limits: ChangeHistoryLimits = {}) {
    const { changes = 20_000, perObject = 100, characters = 16_000_000 } = limits;
    this.#limits = { changes, perObject, characters };
    this.#completeSince = startedAt;
  }

  /** The number of changes, and their approximate size in characters. */
  get size(): { readonly changes: number; readonly characters: number } {
    return { changes: this.#count, characters: this.#characters };
  }

  add(type: string, key: string, change: UiChange): void {
    const id = idOf(type, key);
    const own = this.#byObject.get(id) ?? { changes: [], droppedAt: 0 };
    const kept: Kept = { id, change, size: sizeOf(change), isDropped: false };
    own.changes.push(kept);
    this.#byObject.set(id, own);
    this.#all.push(kept);
    this.#count++;
    this.#characters += kept.size;
    const { changes, perObject, characters } = this.#limits;
    if (own.changes.length > perObject) own.droppedAt = this.#drop(own.changes[0] as Kept);
    while (this.#count > changes || this.#characters > characters || this.#all.size > 2 * changes) this.#dropOldest();
  }

  /** The changes of an object, the latest first, and since when they are complete, ms since 1970. */
  of(type: string, key: string): { readonly changes: readonly UiChange[]; readonly since: number } {
    const { changes, droppedAt } = this.#byObject.get(idOf(type, key)) ?? { changes: [], droppedAt: 0 };
    const since = Math.max(this.#completeSince, droppedAt);
    return { changes: changes.map(({ change }) => change).reverse(), since };
  }

  #dropOldest(): void {
    const oldest = this.#all.shift();
    if (oldest && !oldest.isDropped) this.#completeSince = Math.max(this.#completeSince, this.#drop(oldest));
  }

  /** Drops the oldest change of an object, and gives its time. */
  #drop(kept: Kept): number {
    kept.isDropped = true;
    this.#count--;
    this.#characters -= kept.size;
    const own = this.#byObject.get(kept.id)?.changes ?? [];
    own.shift();
    if (own.length === 0) this.#byObject.delete(kept.id);
    return kept.change.at;
  }
}

const idOf = (type: string, key: string) => `${type} ${key}`;

function sizeOf({ fields }: UiChange): number {
  return fields.reduce((sum, { path, from = '', to = '', by = '' }) => {
    return sum + path.length + from.length + to.length + by.length;
  }, 100);
}
