import type { UnknownObject } from '../../model/object.ts';
import { internalError, invalid } from '../status/statuses.ts';
import type { ApiType } from './api-type.ts';
import { copy } from './copy.ts';

type Fields = Record<string, unknown>;

/**
 * The scale subresource of an object. Source: kubernetes/api autoscaling/v1 Scale, apiextensions-apiserver
 * customresource/etcd.go.
 */
export function scaleOf(type: ApiType, object: UnknownObject): UnknownObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas, running, selector } = type.custom ? customScale(type, object) : workloadScale(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as UnknownObject['metadata'],
    spec: replicas ? { replicas } : {},
    status: { replicas: running, ...(selector ? { selector } : {}) },
  };
}

interface ScaleValues {
  readonly replicas: number | undefined;
  readonly running: number;
  readonly selector: string | undefined;
}

function workloadScale({ spec, status }: UnknownObject): ScaleValues {
  const { replicas, selector } = (spec ?? {}) as { replicas?: number; selector?: Fields };
  const { replicas: running = 0 } = (status ?? {}) as { replicas?: number };
  return { replicas, running, selector: selector ? selectorText(selector) : undefined };
}

function customScale(type: ApiType, object: UnknownObject): ScaleValues {
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = type.custom?.scale ?? {};
  const replicas = valueAt(object, specReplicasPath);
  if (typeof replicas !== 'number')
    return internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
  const [running, selector] = [valueAt(object, statusReplicasPath), valueAt(object, labelSelectorPath)];
  return {
    replicas,
    running: typeof running === 'number' ? running : 0,
    selector: typeof selector === 'string' ? selector : undefined,
  };
}

/** A copy of the object with the number of replicas that a Scale asks for. Throws 422 for an impossible number. */
export function withScale(type: ApiType, object: UnknownObject, scale: UnknownObject): UnknownObject {
  const { replicas = 0 } = (scale.spec ?? {}) as { replicas?: number };
  if (replicas < 0) {
    const why = type.custom ? 'should be a non-negative integer' : 'must be greater than or equal to 0';
    const problem = { field: 'spec.replicas', reason: 'FieldValueInvalid', detail: `${replicas}: ${why}` } as const;
    invalid({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name ?? '', [problem]);
  }
  const { resourceVersion = object.metadata.resourceVersion, uid = object.metadata.uid } = scale.metadata;
  const scaled = copy(object);
  setAt(scaled, type.custom?.scale?.specReplicasPath ?? '.spec.replicas', replicas);
  scaled.metadata = { ...scaled.metadata, ...(resourceVersion ? { resourceVersion } : {}), ...(uid ? { uid } : {}) };
  return scaled;
}

function stepsOf(path: string): string[] {
  return path.split('.').filter((step) => step !== '');
}

function valueAt(object: UnknownObject, path: string): unknown {
  return stepsOf(path).reduce<unknown>((at, step) => (at as Fields | undefined)?.[step], object);
}

function setAt(object: UnknownObject, path: string, value: number): void {
  const steps = stepsOf(path);
  const last = steps.pop() ?? '';
  let at: Fields = object;
  for (const step of steps) {
    at[step] ??= {};
    at = at[step] as Fields;
  }
  at[last] = value;
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
