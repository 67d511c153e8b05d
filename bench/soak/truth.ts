/** A change of one object, in the order in which the server made it. */
export interface Transition {
  /** Counts the histories of the server: a restore and a wipe begin another one, whose versions may be lower. */
  readonly epoch: number;
  readonly gvr: string;
  readonly key: string;
  readonly uid: string;
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** What the writer wrote into the object: no two changes have the same. A deletion has none. */
  readonly mark: string | undefined;
}

/** An object in a state. */
export interface ObjectState {
  readonly uid: string;
  readonly version: number;
  readonly mark: string | undefined;
}

export type States = ReadonlyMap<string, ObjectState>;

/** The beginning of a history: all objects of a type. */
export interface EpochStart {
  readonly epoch: number;
  readonly gvr: string;
  readonly states: States;
}

/** All that the server made of one type, as its writer recorded it. Nothing that is judged took part in it. */
export class TypeTruth {
  readonly gvr: string;
  readonly transitions: Transition[] = [];
  readonly #starts = new Map<number, { readonly at: number; readonly states: States }>();
  readonly #byIdentity = new Map<string, number[]>();

  constructor(gvr: string) {
    this.gvr = gvr;
  }

  begin({ epoch, states }: EpochStart): void {
    this.#starts.set(epoch, { at: this.transitions.length, states });
  }

  add(transition: Transition): void {
    const identity = identityOf(transition);
    this.#byIdentity.set(identity, [...(this.#byIdentity.get(identity) ?? []), this.transitions.length]);
    this.transitions.push(transition);
  }

  get last(): number {
    return this.transitions.length - 1;
  }

  /** The positions of all transitions that look like this one. */
  positionsOf(seen: Omit<Transition, 'epoch' | 'gvr' | 'key'>): readonly number[] {
    return this.#byIdentity.get(identityOf(seen)) ?? [];
  }

  epochAt(position: number): number {
    return this.transitions[position]?.epoch ?? 0;
  }

  /** The position of the last transition up to a version of an epoch; undefined if the server had no such epoch. */
  positionAt(epoch: number, version: number): number | undefined {
    const start = this.#starts.get(epoch);
    if (!start) return undefined;
    let at = start.at - 1;
    for (let i = start.at; this.transitions[i]?.epoch === epoch; i++) {
      if ((this.transitions[i]?.version ?? 0) > version) break;
      at = i;
    }
    return at;
  }

  /** All objects after the transition at a position, in a history. */
  statesAt(epoch: number, position: number): Map<string, ObjectState> {
    const start = this.#starts.get(epoch);
    const states = new Map(start?.states);
    for (let i = start?.at ?? 0; i <= position; i++) {
      const { key, uid, version, mark, type } = this.transitions[i] as Transition;
      if (type === 'DELETED') states.delete(key);
      else states.set(key, { uid, version, mark });
    }
    return states;
  }

  get epochs(): readonly number[] {
    return [...this.#starts.keys()];
  }
}

function identityOf({ uid, version, mark, type }: Omit<Transition, 'epoch' | 'gvr' | 'key'>): string {
  return type === 'DELETED' ? `${uid} ${version} gone` : `${uid} ${version} ${type} ${mark}`;
}

/** What differs between two sets of states, in words; the first few of it. */
export function differences(found: States, right: States): string[] {
  const texts: string[] = [];
  for (const [key, { uid, version }] of right) {
    const other = found.get(key);
    if (!other) texts.push(`${key} is missing`);
    else if (other.uid !== uid || other.version !== version) {
      texts.push(`${key} is at ${other.version} of ${other.uid}, and the server has ${version} of ${uid}`);
    }
  }
  for (const key of found.keys()) if (!right.has(key)) texts.push(`${key} is there, and the server does not have it`);
  return texts;
}
