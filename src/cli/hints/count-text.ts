import { formatGroupResource } from '../../model/gvr.ts';
import type { Sample } from '../../query/answer/samples.ts';

/** `4 pods`, `1 pod and 2 deployments.apps`. */
export function countText(samples: readonly Sample[]): string {
  const text = ({ type, objects, isPart, count: length = objects.length }: Sample) =>
    length === 1 && !isPart
      ? `1 ${type.singular || type.kind.toLowerCase()}`
      : `${length}${isPart ? ' or more' : ''} ${formatGroupResource(type.gvr)}`;
  return samples.map(text).join(' and ');
}

/** The types of which there are objects. */
export const filled = (samples: readonly Sample[]): Sample[] => samples.filter(({ objects }) => objects.length > 0);
