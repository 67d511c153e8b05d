import type { Fields } from '../model/field-changes.ts';
import { lastingReason } from './causes.ts';
import type { Fact, StoryChange } from './fact.ts';
import { storyFacts } from './facts.ts';
import { namedCauseText, type Verdict, verdictOf } from './readiness.ts';
import { RepeatedEvents } from './repeated-events.ts';
import { conditionIn, type EventFact, eventFact, fieldsIn, isTrue, metadataIn, partsIn, type Situation, shownName, specIn, textIn } from './situation.ts'; // biome-ignore format: one line

/** The object of a story. */
export interface StoryRoot {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A line of a story. */
export interface StoryEntry extends Omit<Fact, 'kind'> {
  readonly kind: Fact['kind'] | 'verdict' | 'run';
  /** `pod/web-1`. */
  readonly about: string;
}

/** A time in which the object was not ready for a cause that is known. */
export interface UnreadyTime {
  readonly since: number;
  readonly until: number | undefined;
  readonly text: string;
}

/**
 * One object and all that it owns, by owner references through all levels, as one ordered stream. It takes changes of
 * any objects in any order: those of strangers wait until they turn out to be owned.
 */
export class Story {
  readonly #root: StoryRoot;
  /** The members that are there, and all claims and nodes, by uid. */
  readonly #objects = new Map<string, Fields>();
  /** The uids of the object and of all that it owns or owned. */
  readonly #members = new Set<string>();
  /** Changes of objects whose owner is no member yet, by the uid of the owner. */
  readonly #waiting = new Map<string, Map<string, StoryChange>>();
  readonly #events = new Map<string, Map<string, EventFact>>();
  readonly #repeats = new RepeatedEvents();
  /** The names of nodes that do not exist. */
  readonly #noNodes = new Set<string>();
  #rootUid: string | undefined;
  #reason: string | undefined;
  #outage: UnreadyTime | undefined;

  constructor(root: StoryRoot) {
    this.#root = root;
  }

  /** The names of the nodes of pods that are not ready. */
  nodesInDoubt(): string[] {
    const names = [...this.#members].flatMap((uid) => {
      const object = this.#objects.get(uid);
      const isInDoubt = object?.kind === 'Pod' && !isTrue(conditionIn(object, 'Ready'));
      return isInDoubt ? textIn(specIn(object).nodeName) : [];
    });
    return [...new Set(names)].filter((name) => name !== '');
  }

  /** There is no node of this name. */
  lacksNode(name: string): void {
    this.#noNodes.add(name);
  }

  /** Takes a change, and gives the lines that it makes. */
  see(change: StoryChange): StoryEntry[] {
    const told = eventFact(change.object);
    if (told) return this.#seeEvent(told, change);
    const uid = textIn(metadataIn(change.object).uid);
    if (['PersistentVolumeClaim', 'Node'].includes(textIn(change.object.kind))) this.#keep(uid, change);
    if (this.#isRoot(change.object)) {
      this.#rootUid = change.event === 'DELETED' && this.#rootUid === uid ? undefined : uid;
      return this.#belongs(uid, change);
    }
    if (this.#members.has(uid)) return this.#belongs(uid, change);
    const owners = partsIn(metadataIn(change.object).ownerReferences).map((each) => textIn(each.uid));
    if (owners.some((owner) => this.#members.has(owner))) return this.#belongs(uid, change);
    if (this.#isNamed(change.object)) return this.#entries(change, false);
    for (const owner of owners) this.#wait(owner, uid, change);
    return [];
  }

  /** The line for a change of the cause, or for the return to ready; nothing if it is as before. */
  judge(at: number): StoryEntry[] {
    const verdict = this.verdict(at);
    if (!verdict) {
      this.#close(at);
      return [];
    }
    const [first] = verdict.causes;
    if (verdict.isReady || !first) {
      if (!verdict.isReady || this.#reason === undefined) return [];
      this.#close(at);
      return [this.#verdictEntry(at, `ready again (${verdict.status.replace(/\.$/, '')})`, 'good')];
    }
    if (lastingReason(first.reason) === this.#reason) return [];
    this.#reason = lastingReason(first.reason);
    const text = namedCauseText(first, this.name);
    this.#outage = {
      since: this.#outage?.until === undefined ? (this.#outage?.since ?? at) : at,
      until: undefined,
      text,
    };
    return [this.#verdictEntry(at, `not ready (${verdict.status.replace(/\.$/, '')}): ${text}`, 'bad')];
  }

  /** Whether the object is ready; undefined if it is not there. */
  verdict(now: number): Verdict | undefined {
    const root = this.#rootUid === undefined ? undefined : this.#objects.get(this.#rootUid);
    if (!root) return undefined;
    const members = [...this.#members].map((uid) => this.#objects.get(uid));
    const owned = members.filter((each) => each !== undefined && each !== root) as Fields[];
    return verdictOf(
      this.#situation(root, now),
      owned.map((object) => this.#situation(object, now)),
    );
  }

  /** The last time for which a cause was known. */
  get outage(): UnreadyTime | undefined {
    return this.#outage;
  }

  get name(): string {
    return `${this.#root.kind.toLowerCase()}/${this.#root.name}`;
  }

  /** Whether the object was ever seen. */
  get isKnown(): boolean {
    return this.#members.size > 0;
  }

  #close(at: number): void {
    if (this.#reason !== undefined && this.#outage) this.#outage = { ...this.#outage, until: at };
    this.#reason = undefined;
  }

  #verdictEntry(at: number, text: string, tone: Fact['tone']): StoryEntry {
    return { at, kind: 'verdict', about: this.name, who: '', text, tone };
  }

  #isRoot(object: Fields): boolean {
    const { apiVersion, kind } = object;
    const { group, namespace, name } = this.#root;
    const [own, version] = textIn(apiVersion).split('/');
    const place = metadataIn(object);
    return (
      kind === this.#root.kind &&
      (version === undefined ? '' : own) === group &&
      textIn(place.namespace) === namespace &&
      place.name === name
    );
  }

  /** An object of the story, and what waited for it. */
  #belongs(uid: string, change: StoryChange): StoryEntry[] {
    const isNew = !this.#members.has(uid);
    this.#members.add(uid);
    this.#keep(uid, change);
    const entries = this.#entries(change, this.#isRoot(change.object));
    if (!isNew) return entries;
    for (const told of this.#eventsOf(change.object)) entries.push(...this.#tell(told, told.at));
    const waiting = this.#waiting.get(uid);
    this.#waiting.delete(uid);
    for (const [own, each] of waiting ?? []) entries.push(...this.#belongs(own, each));
    return entries;
  }

  #keep(uid: string, { event, object }: StoryChange): void {
    if (event === 'DELETED') this.#objects.delete(uid);
    else this.#objects.set(uid, object);
    if (object.kind !== 'Node') return;
    if (event === 'DELETED') this.#noNodes.add(nameIn(object));
    else this.#noNodes.delete(nameIn(object));
  }

  #entries(change: StoryChange, isRoot: boolean): StoryEntry[] {
    return storyFacts(change, isRoot).map((each) => ({ ...each, about: shownName(change.object) }));
  }

  #wait(owner: string, uid: string, change: StoryChange): void {
    const waiting = this.#waiting.get(owner) ?? new Map<string, StoryChange>();
    this.#waiting.set(owner, waiting);
    if (change.event === 'DELETED') waiting.delete(uid);
    else waiting.set(uid, waiting.has(uid) ? { ...change, before: undefined } : change);
  }

  /** A claim of a pod of the story, or the node of one. */
  #isNamed(object: Fields): boolean {
    if (object.kind !== 'PersistentVolumeClaim' && object.kind !== 'Node') return false;
    const { name } = metadataIn(object);
    for (const uid of this.#members) {
      const member = this.#objects.get(uid);
      if (member?.kind !== 'Pod') continue;
      if (object.kind === 'Node' ? specIn(member).nodeName === name : claimsOf(member).includes(name)) return true;
    }
    return false;
  }

  #seeEvent(told: EventFact, { event, at, cause }: StoryChange): StoryEntry[] {
    const key = keyOf(told.about);
    const known = this.#events.get(key) ?? new Map<string, EventFact>();
    this.#events.set(key, known);
    if (event === 'DELETED') {
      known.delete(told.uid);
      if (known.size === 0) this.#events.delete(key);
      return [];
    }
    known.set(told.uid, told);
    return this.#concerns(told) ? this.#tell(told, cause === 'watch' || !Number.isFinite(told.at) ? at : told.at) : [];
  }

  #concerns({ about }: EventFact): boolean {
    if (this.#members.has(about.uid)) return true;
    if (about.kind === 'PersistentVolumeClaim')
      return this.#isNamed({ kind: about.kind, metadata: { name: about.name } });
    return keyOf(about) === keyOf(this.#root) && (about.uid === '' || about.kind === 'Node');
  }

  #tell(told: EventFact, at: number): StoryEntry[] {
    const text = this.#repeats.newsOf(told);
    if (text === undefined) return [];
    const { who, about, isWarning } = told;
    return [{ at, kind: "event", about: shownName({ kind: about.kind, metadata: { name: about.name } }), who, text, tone: isWarning ? 'bad' : 'none' }]; // biome-ignore format: one line
  }

  #situation(object: Fields, now: number): Situation {
    const eventsOf = () => this.#eventsOf(object);
    return {
      object,
      now,
      get events() {
        return eventsOf();
      },
      find: (kind, name) => {
        for (const each of this.#objects.values()) {
          const { namespace, name: own } = metadataIn(each);
          const isThere = kind === 'Node' || namespace === metadataIn(object).namespace;
          if (each.kind === kind && own === name && isThere) return this.#situation(each, now);
        }
        return kind === 'Node' && this.#noNodes.has(name) ? null : undefined;
      },
    };
  }

  /** The Events about an object, the newest first. */
  #eventsOf(object: Fields): EventFact[] {
    const { namespace, name, uid } = metadataIn(object);
    const known = this.#events.get(
      keyOf({ kind: textIn(object.kind), namespace: textIn(namespace), name: textIn(name) }),
    );
    return [...(known?.values() ?? [])]
      .filter(({ about }) => about.uid === '' || about.uid === uid || about.kind === 'Node')
      .sort((a, b) => b.at - a.at);
  }
}

const nameIn = (object: Fields) => textIn(metadataIn(object).name);

const keyOf = ({ kind, namespace, name }: Pick<StoryRoot, 'kind' | 'namespace' | 'name'>) =>
  `${kind} ${namespace} ${name}`;

const claimsOf = (pod: Fields): unknown[] =>
  partsIn(specIn(pod).volumes).map(({ persistentVolumeClaim }) => fieldsIn(persistentVolumeClaim).claimName);
