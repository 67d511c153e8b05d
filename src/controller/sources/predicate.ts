import { checkArgument, checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import type { KubeObject, UnknownObject } from '../../model/object.ts';
import { OBJECT_PARTS, type ObjectPart, partChanged } from '../../model/object-parts.ts';
import type { CachedObject, ResourceEvent } from '../resource-event.ts';
import { untyped } from '../resource-event.ts';

/** Decides whether an event leads to a reconcile. Must be pure and fast: it runs for every event. */
export type Predicate<T = UnknownObject> = (event: ResourceEvent<T>) => boolean;

/** A predicate for objects of every type. */
export type GeneralPredicate = <T>(event: ResourceEvent<T>) => boolean;

/** The hidden parts of a predicate: its name, and for one of several parts the name of the part that did not pass. */
interface Named {
  readonly label?: string;
  readonly rejectedBy?: () => string;
  readonly name: string;
}

/**
 * The predicate with a name, which {@link Controller.explain} shows for the events that it does not pass. Default: the
 * name of the function.
 */
export function labelledPredicate<T = KubeObject>(label: string, predicate: Predicate<T>): Predicate<T> {
  checkArgument('labelledPredicate', 'the predicate', predicate, 'function');
  return Object.assign((event: ResourceEvent<T>) => predicate(event), { label });
}

/** The name of the predicate, or of the part of it, that did not pass the last event. */
export function rejectionOf(predicate: Named): string {
  return predicate.rejectedBy?.() ?? nameOf(predicate);
}

function nameOf({ label, name }: Named): string {
  return label ?? (name || 'a predicate without a name');
}

const KNOWN_RULES = {
  added: 'function',
  updated: 'function',
  deleted: 'function',
  generic: 'function',
} satisfies KnownOptionsOf<Record<ResourceEvent['type'], Predicate>>;

/** A predicate with a rule for each type of event. A type without a rule passes. */
export function predicateOf<T = UnknownObject>(
  rules: {
    readonly [type in ResourceEvent['type']]?: Predicate<T>;
  },
): Predicate<T> {
  checkOptions('predicateOf', rules, KNOWN_RULES);
  return (event) => rules[event.type]?.(event) !== false;
}

/** A predicate on the object; for an update, on its new state. An event without an object does not pass. */
export function objectPredicate<T = UnknownObject>(test: (object: CachedObject<T>) => boolean): Predicate<T> {
  checkArgument('objectPredicate', 'test', test, 'function');
  return ({ object }) => object !== undefined && test(object);
}

/** Passes if all predicates pass. Stops at the first that does not. Passes without any predicates. */
export function andPredicate<T = KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  for (const predicate of predicates) checkArgument('andPredicate', 'a predicate', predicate, 'function');
  let last: Predicate<T> | undefined;
  const every = (event: ResourceEvent<T>) => {
    last = predicates.find((predicate) => !predicate(event));
    return last === undefined;
  };
  const label = predicates.map(nameOf).join(' and ');
  return Object.assign(every, { label, rejectedBy: () => (last ? rejectionOf(last) : label) });
}

/** Passes if one of the predicates passes. Stops at the first that does. Does not pass without any predicates. */
export function orPredicate<T = KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  for (const predicate of predicates) checkArgument('orPredicate', 'a predicate', predicate, 'function');
  const some = (event: ResourceEvent<T>) => predicates.some((predicate) => predicate(event));
  return Object.assign(some, { label: predicates.length === 0 ? 'none' : predicates.map(nameOf).join(' or ') });
}

/** Passes if the predicate does not. */
export function notPredicate<T = KubeObject>(predicate: Predicate<T>): Predicate<T> {
  checkArgument('notPredicate', 'the predicate', predicate, 'function');
  return labelledPredicate(`not ${nameOf(predicate)}`, (event) => !predicate(event));
}

/**
 * Passes an update if a part of the object differs between the old and the new state, and every event that is no
 * update. An update without its old or its new state does not pass. Another object with the same name always differs:
 * see {@link partChanged}.
 */
export function changedPredicate<T = UnknownObject>(part: (object: CachedObject<T>) => unknown): Predicate<T> {
  checkArgument('changedPredicate', 'part', part, 'function');
  const partOf = part as (object: CachedObject) => unknown;
  return (event) => {
    const { type, object, oldObject } = untyped(event);
    if (type !== 'updated') return true;
    return object !== undefined && oldObject !== undefined && partChanged(partOf, oldObject, object);
  };
}

/**
 * Passes an update if `test` accepts the old and the new state, and every event that is not an update. An update
 * without its old or its new state does not pass.
 */
export function updatePredicate<T = UnknownObject>(
  test: (oldObject: CachedObject<T>, object: CachedObject<T>) => boolean,
): Predicate<T> {
  checkArgument('updatePredicate', 'test', test, 'function');
  return ({ type, object, oldObject }) => {
    if (type !== 'updated') return true;
    return object !== undefined && oldObject !== undefined && test(oldObject, object);
  };
}

/** The predicate, for events of every type. */
function general(label: string, predicate: Predicate): GeneralPredicate {
  return Object.assign(<T>(event: ResourceEvent<T>) => predicate(untyped(event)), { label });
}

const ofPart = (part: ObjectPart): GeneralPredicate => general(part, changedPredicate(OBJECT_PARTS[part]));

/** Passes updates of metadata.generation. The server increments it for changes of spec, not of status or metadata. */
export const generationChanged: GeneralPredicate = ofPart('generation');
/** Passes every update that is not a resync. */
export const resourceVersionChanged: GeneralPredicate = ofPart('resourceVersion');
/** Passes updates of metadata.labels. */
export const labelsChanged: GeneralPredicate = ofPart('labels');
/** Passes updates of metadata.annotations. */
export const annotationsChanged: GeneralPredicate = ofPart('annotations');
/** Passes updates of metadata.finalizers, and the start of a deletion. */
export const finalizersChanged: GeneralPredicate = ofPart('finalizers');
/** Passes updates of spec, also for types without metadata.generation. */
export const specChanged: GeneralPredicate = ofPart('spec');
/** Passes updates of status. */
export const statusChanged: GeneralPredicate = ofPart('status');

/** Passes if the object matches a label selector; for an update, the new state. */
export function labelSelectorPredicate(selector: LabelSelector | string): GeneralPredicate {
  const parsed = typeof selector === 'string' ? LabelSelector.parse(selector) : selector;
  return general(
    `selector ${parsed}`,
    objectPredicate((object) => parsed.matches(object.metadata.labels)),
  );
}

export type PredicateName = ObjectPart;

/** The names that `--predicate` takes. */
export const predicateNames = Object.keys(OBJECT_PARTS) as readonly PredicateName[];
