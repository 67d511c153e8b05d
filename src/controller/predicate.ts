import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';
import { LabelSelector } from '../model/label-selector.ts';
import { OBJECT_PARTS, type ObjectPart, partChanged } from '../model/object-parts.ts';
import type { CachedObject, ResourceEvent } from './resource-event.ts';

/** Whether an event is worth a reconcile. Must be pure and fast: it runs for every event. */
export type Predicate = (event: ResourceEvent) => boolean;

/** Different answers per kind of event; a kind that is left out passes. */
export function predicateOf(rules: { readonly [type in ResourceEvent['type']]?: Predicate }): Predicate {
  return (event) => rules[event.type]?.(event) ?? true;
}

/** One question asked of every object; of an update, the new state. An event without an object does not pass. */
export function objectPredicate(test: (object: CachedObject) => boolean): Predicate {
  return ({ object }) => object !== undefined && test(object);
}

/** All of them; true of none. Stops at the first no. */
export function and(...predicates: readonly Predicate[]): Predicate {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Any of them; false of none. Stops at the first yes. */
export function or(...predicates: readonly Predicate[]): Predicate {
  return (event) => predicates.some((predicate) => predicate(event));
}

export function not(predicate: Predicate): Predicate {
  return (event) => !predicate(event);
}

/**
 * Passes an update when a part of the object differs between old and new; everything that is not an update passes.
 * An update without its old or new state does not. Another object under the same name always differs: see {@link partChanged}.
 */
export function changed(part: (object: CachedObject) => unknown): Predicate {
  return ({ type, object, oldObject }) => {
    if (type !== 'updated') return true;
    return object !== undefined && oldObject !== undefined && partChanged(part, oldObject, object);
  };
}

/** metadata.generation differs: the server counts it up when spec changes, not for status or metadata. */
export const generationChanged: Predicate = changed(OBJECT_PARTS.generation);
export const resourceVersionChanged: Predicate = changed(OBJECT_PARTS.resourceVersion);
export const labelsChanged: Predicate = changed(OBJECT_PARTS.labels);
export const annotationsChanged: Predicate = changed(OBJECT_PARTS.annotations);
export const finalizersChanged: Predicate = changed(OBJECT_PARTS.finalizers);
export const specChanged: Predicate = changed(OBJECT_PARTS.spec);
export const statusChanged: Predicate = changed(OBJECT_PARTS.status);

/** The object (of an update, its new state) matches a label selector. */
export function labelSelectorPredicate(selector: LabelSelector | string): Predicate {
  const parsed = typeof selector === 'string' ? LabelSelector.parse(selector) : selector;
  return objectPredicate((object) => parsed.matches(object.metadata.labels));
}

const NAMED = {
  generation: generationChanged,
  labels: labelsChanged,
  annotations: annotationsChanged,
  spec: specChanged,
  status: statusChanged,
  finalizers: finalizersChanged,
  resourceVersion: resourceVersionChanged,
} as const satisfies Record<ObjectPart, Predicate>;

export type PredicateName = ObjectPart;

/** The names `--predicate` takes. */
export const predicateNames = Object.keys(NAMED) as readonly PredicateName[];

/** The predicate of a name. Throws `argument` with the nearest names for any other. */
export function predicateNamed(name: string): Predicate {
  if (Object.hasOwn(NAMED, name)) return NAMED[name as PredicateName];
  const meant = nearest(name, predicateNames);
  throw new InformerError('argument', `unknown predicate ${JSON.stringify(name)}`, {
    hint: meant.length > 0 ? `did you mean ${meant.join(' or ')}?` : `use one of ${predicateNames.join(', ')}`,
  });
}
