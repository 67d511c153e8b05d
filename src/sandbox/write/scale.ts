import type { UnknownObject } from '../../model/object.ts';
import { copy } from './copy.ts';

type Fields = Record<string, unknown>;

/** A workload seen through its scale subresource. Source: kubernetes/api autoscaling/v1 Scale. */
export function scaleOf({ metadata, spec, status }: UnknownObject): UnknownObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { replicas, selector } = (spec ?? {}) as { replicas?: number; selector?: Fields };
  const { replicas: running = 0 } = (status ?? {}) as { replicas?: number };
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as UnknownObject['metadata'],
    spec: replicas ? { replicas } : {},
    status: { replicas: running, ...(selector ? { selector: selectorText(selector) } : {}) },
  };
}

/** The workload with the number of replicas a Scale asks for. */
export function withScale(object: UnknownObject, scale: UnknownObject): UnknownObject {
  const { replicas = 0 } = (scale.spec ?? {}) as { replicas?: number };
  const { resourceVersion = object.metadata.resourceVersion } = scale.metadata;
  const scaled = copy(object);
  return {
    ...scaled,
    metadata: { ...scaled.metadata, ...(resourceVersion ? { resourceVersion } : {}) },
    spec: { ...(scaled.spec as Fields), replicas },
  };
}

/** A label selector as one line: `app=web,tier in (a,b)`. A plain map counts as matchLabels. */
export function selectorText(selector: Fields): string {
  const structured = 'matchLabels' in selector || 'matchExpressions' in selector;
  const labels = (structured ? selector.matchLabels : selector) as Record<string, string> | undefined;
  const expressions = (structured ? selector.matchExpressions : undefined) as
    | { key: string; operator: string; values?: string[] }[]
    | undefined;
  const equal = Object.entries(labels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const others = (expressions ?? []).map((e) => ({ key: e.key, text: expressionText(e) }));
  return [...equal, ...others]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}

function expressionText({ key, operator, values = [] }: { key: string; operator: string; values?: string[] }): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`;
}
