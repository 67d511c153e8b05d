import { isDeepStrictEqual } from 'node:util';
import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';
import { LabelSelector } from '../model/label-selector.ts';
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
 * An update without its old or new state does not. Another object under the same name (another uid) always differs: where upstream
 * compares generations alone it takes a recreated object for an unchanged one.
 * Source: controller-runtime pkg/predicate/predicate.go; the uid from kube-rs utils/predicate.rs.
 */
export function changed(part: (object: CachedObject) => unknown): Predicate {
  return ({ type, object, oldObject }) => {
    if (type !== 'updated') return true;
    if (!object || !oldObject) return false;
    if (object.metadata.uid !== oldObject.metadata.uid) return true;
    return !isDeepStrictEqual(part(object), part(oldObject));
  };
}

/** metadata.generation differs: the server counts it up when spec changes, not for status or metadata. */
export const generationChanged: Predicate = changed((o) => o.metadata.generation);
export const resourceVersionChanged: Predicate = changed((o) => o.metadata.resourceVersion);
export const labelsChanged: Predicate = changed((o) => o.metadata.labels ?? {});
export const annotationsChanged: Predicate = changed((o) => o.metadata.annotations ?? {});
export const finalizersChanged: Predicate = changed((o) => [o.metadata.finalizers ?? [], o.metadata.deletionTimestamp]);
export const specChanged: Predicate = changed((o) => o.spec);
export const statusChanged: Predicate = changed((o) => o.status);

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
} as const satisfies Record<string, Predicate>;

export type PredicateName = keyof typeof NAMED;

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
