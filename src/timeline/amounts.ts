import { isJsonMap } from '../kit/exact-json.ts';
import type { Fields } from '../model/field-changes.ts';
import type { TimelineSeries } from './timeline.ts';

/** A number of an object that is drawn over time. */
export type ObjectNumbers = ReadonlyMap<string, number>;

const mapOf = (value: unknown): Fields => (isJsonMap(value) ? value : {});
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isJsonMap) : []);

/** The value that matters where several are drawn as one: the fewest ready, the most of all others. */
export const worstOf = (name: string): TimelineSeries['worst'] => (name === 'ready' ? 'least' : 'most');

/** The numbers of a state: replicas and ready ones, restarts of containers, pods of a Job. */
export function numbersIn({ kind, spec, status }: Fields): ObjectNumbers {
  const [wanted, is] = [mapOf(spec), mapOf(status)];
  if (kind === 'Pod') return numbersOf({ restarts: restartsOf(is) });
  if (kind === 'DaemonSet') return numbersOf({ replicas: is.desiredNumberScheduled, ready: is.numberReady ?? 0 });
  if (kind === 'Job') return numbersOf({ active: is.active ?? 0, failed: is.failed ?? 0 });
  if (kind === 'HorizontalPodAutoscaler')
    return numbersOf({ wanted: is.desiredReplicas, replicas: is.currentReplicas });
  return numbersOf({
    replicas: wanted.replicas,
    ready: wanted.replicas === undefined ? undefined : (is.readyReplicas ?? 0),
  });
}

function restartsOf(status: Fields): number {
  const containers = [...listOf(status.initContainerStatuses), ...listOf(status.containerStatuses)];
  return containers.reduce((sum, { restartCount }) => sum + (Number(restartCount) || 0), 0);
}

function numbersOf(amounts: Fields): ObjectNumbers {
  return new Map(Object.entries(amounts).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1])));
}
