import { isJsonMap } from '../kit/exact-json.ts';
import type { Fields } from '../model/field-changes.ts';

/** An Event of a cluster, of core/v1 or events.k8s.io/v1. */
export interface EventFact {
  readonly uid: string;
  readonly about: { readonly kind: string; readonly namespace: string; readonly name: string; readonly uid: string };
  /** The container that it is about; '' for none. */
  readonly container: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** When it happened last, ms since 1970; NaN if it does not say. */
  readonly at: number;
  readonly who: string;
}

/** An object at a moment, with what was said about it. */
export interface Situation {
  readonly object: Fields;
  /** The Events about it, the newest first. */
  readonly events: readonly EventFact[];
  /** Another object that it names; undefined if it is not known, null if it is known that there is none. */
  find(kind: 'PersistentVolumeClaim' | 'Node', name: string): Situation | undefined | null;
  readonly now: number;
}

export const fieldsIn = (value: unknown): Fields => (isJsonMap(value) ? value : {});
export const partsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isJsonMap) : []);
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberIn = (value: unknown, absent = 0): number =>
  Number.isSafeInteger(value) ? (value as number) : absent;
export const timeIn = (value: unknown): number => Date.parse(textIn(value));

export const metadataIn = ({ metadata }: Fields) => fieldsIn(metadata);
export const specIn = ({ spec }: Fields) => fieldsIn(spec);
export const statusIn = ({ status }: Fields) => fieldsIn(status);
export const conditionIn = (object: Fields, type: string): Fields =>
  partsIn(statusIn(object).conditions).find((each) => each.type === type) ?? {};
export const isTrue = ({ status }: Fields) => status === 'True';

/** A name for a person: `pod/web-1`. */
export const shownName = (object: Fields): string =>
  `${textIn(object.kind).toLowerCase()}/${textIn(metadataIn(object).name)}`;

/** The states of the containers of a Pod, the init containers first. */
export const containersOf = (pod: Fields): Fields[] => [
  ...partsIn(statusIn(pod).initContainerStatuses),
  ...partsIn(statusIn(pod).containerStatuses),
];

/** Reads an Event; undefined for any other object. */
export function eventFact(object: Fields): EventFact | undefined {
  const about = fieldsIn(object.involvedObject ?? object.regarding);
  if (object.kind !== 'Event' || textIn(about.kind) === '') return undefined;
  const { creationTimestamp, uid } = metadataIn(object);
  const series = fieldsIn(object.series);
  const times = [
    series.lastObservedTime,
    object.lastTimestamp,
    object.deprecatedLastTimestamp,
    object.eventTime,
    creationTimestamp,
  ];
  return {
    uid: textIn(uid),
    about: {
      kind: textIn(about.kind),
      namespace: textIn(about.namespace),
      name: textIn(about.name),
      uid: textIn(about.uid),
    },
    container: /\{(.*)\}$/.exec(textIn(about.fieldPath))?.[1] ?? '',
    isWarning: object.type === 'Warning',
    reason: textIn(object.reason),
    message: textIn(object.message) || textIn(object.note),
    count: numberIn(series.count, numberIn(object.count, numberIn(object.deprecatedCount, 1))),
    at: times.map(timeIn).find((time) => Number.isFinite(time)) ?? Number.NaN,
    who:
      textIn(object.reportingComponent) ||
      textIn(object.reportingController) ||
      textIn(fieldsIn(object.source ?? object.deprecatedSource).component),
  };
}
