import type { ControllerSnapshot } from '../controller/controller-snapshot.ts';
import type { KeyExplanation } from '../controller/explanation.ts';
import type { ManagerCheck } from '../controller/manager/checks.ts';
import type { Clock } from '../kit/clock.ts';
import { nearest } from '../kit/nearest.ts';
import type { ObjectKey } from '../model/key.ts';
import type { InspectedInformer } from './health.ts';
import type { PrometheusMetrics } from './prometheus.ts';

/** The part of a controller that is looked into. A Controller fits. */
export interface InspectedController {
  snapshot(): ControllerSnapshot;
  explain(key: ObjectKey): KeyExplanation;
  enqueue(key: ObjectKey): void;
  release(key: ObjectKey): boolean;
  drop(key: ObjectKey): boolean;
}

/** The cache of the objects that a controller reconciles. A Lister fits. */
export interface ReconciledObjects {
  get(key: ObjectKey): unknown;
  keys(): Iterable<ObjectKey>;
}

/** A running program, as its pages see it. */
export interface InspectedProgram {
  readonly controllers: readonly InspectedController[];
  /** The caches of what the controllers reconcile, in the order of `controllers`; undefined where it is not known. */
  readonly objects: readonly (ReconciledObjects | undefined)[];
  readonly informers: readonly InspectedInformer[];
  readonly metrics: Pick<PrometheusMetrics, 'text' | 'contentType'> | undefined;
  readonly liveChecks: readonly ManagerCheck[];
  readonly readyChecks: readonly ManagerCheck[];
  readonly clock: Clock;
  readonly staleAfterMs?: number | undefined;
  readonly ending: AbortSignal | undefined;
}

/** The most keys among which near ones are searched. */
const MOST_COMPARED = 20_000;

/** Known keys that this one may have meant: those with the same name in another namespace, else the nearest ones. */
export function nearKeys(
  key: ObjectKey,
  controller: InspectedController,
  objects: ReconciledObjects | undefined,
): string[] {
  const { queued, processing, delayed, parked } = controller.snapshot();
  const known = new Set([...parked, ...processing, ...queued, ...delayed].map((each) => each.key));
  for (const each of objects?.keys() ?? []) {
    if (known.size >= MOST_COMPARED) break;
    known.add(each);
  }
  const named = [...known].filter((each) => each.endsWith(`/${key}`)).slice(0, 3);
  return named.length > 0 ? named : nearest(key, known);
}
