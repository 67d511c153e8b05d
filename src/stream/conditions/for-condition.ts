import { goSprint } from '../../expr/go-text.ts';
import { compileJsonPath } from '../../expr/jsonpath/jsonpath.ts';
import { InformerError } from '../../kit/error.ts';
import { isContainer, isJsonMap } from '../../kit/exact-json.ts';
import { nearest } from '../../kit/nearest.ts';
import { kstatusOf } from '../../model/kstatus.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { rolloutOf } from '../../model/rollout-status.ts';
import { type KindSource, withKind } from '../shown-object.ts';

/** One `--for`, as `kubectl wait` takes it. */
export interface ForCondition {
  /** The condition as the user wrote it. */
  readonly source: string;
  readonly kind: 'create' | 'delete' | 'condition' | 'jsonpath' | 'rollout' | 'current';
  /** The type of the condition in `status.conditions` that is looked at. */
  readonly condition?: string | undefined;
  /** The path of a jsonpath condition. */
  readonly path?: string | undefined;
  /**
   * Whether an object in this state meets the condition; `object` is undefined when there is no such object. Returns an
   * Error where waiting cannot help: the expression finds a value that cannot be compared, the rollout has failed, or
   * the object cannot become current by itself.
   */
  met(object: ReadonlyObject | undefined, type?: KindSource): boolean | Error;
}

/**
 * Reads `create`, `delete`, `condition=NAME[=VALUE]`, `jsonpath=EXPRESSION[=VALUE]`, `rollout` or
 * `current`.
 *
 * - The value of `condition` is `true` unless given. Names and values are compared without regard to case.
 * - The expression of `jsonpath` ends at a single `=`; `==` is a part of it. Without a value, the expression must find
 *   something.
 * - `rollout` is met when `kubectl rollout status` would end. It uses the kind of the type if the object has none.
 * - `current` is met when kstatus calls the object Current.
 *
 * Throws `argument`, in kubectl's words, for what kubectl refuses.
 * Source: kubectl pkg/cmd/wait, pkg/polymorphichelpers; kubernetes-sigs/cli-utils pkg/kstatus.
 */
export function parseForCondition(text: string): ForCondition {
  const word = text.toLowerCase();
  if (word === 'create') return { source: text, kind: 'create', met: (object) => object !== undefined };
  if (word === 'delete') return { source: text, kind: 'delete', met: (object) => object === undefined };
  if (word === 'rollout') return { source: text, kind: 'rollout', met: rolledOut };
  if (word === 'current') return { source: text, kind: 'current', met: isCurrent };
  if (text.startsWith('condition=')) return statusCondition(text, text.slice('condition='.length));
  if (text.startsWith('jsonpath=')) return jsonPathCondition(text, text.slice('jsonpath='.length));
  throw new InformerError('argument', `unrecognized condition: ${JSON.stringify(text)}`, { hint: hintFor(text) });
}

function hintFor(text: string): string {
  if (text.includes('/'))
    return 'the events of an object: watch events --field-selector involvedObject.kind=KIND,involvedObject.name=NAME';
  const [word = '', ...value] = text.split('=');
  const [near] = nearest(word, [
    'create',
    'delete',
    'rollout',
    'current',
    ...(value.length > 0 ? ['condition', 'jsonpath'] : []),
  ]);
  const isCondition = USUAL_CONDITIONS.some((each) => each.toLowerCase() === word.toLowerCase());
  const meant = isCondition ? `condition=${text}` : near && [near, ...value].join('=');
  const forms = "--for takes create, delete, rollout, current, condition=NAME[=VALUE] or jsonpath='{.path}'[=VALUE]";
  return meant === undefined ? forms : `did you mean --for ${meant}? ${forms}`;
}

/** Conditions that the controllers of Kubernetes set, on all objects of a type or on some. */
export const USUAL_CONDITIONS: readonly string[] = [
  ...['Ready', 'ContainersReady', 'Initialized', 'PodScheduled', 'PodReadyToStartContainers', 'DisruptionTarget'],
  ...['Available', 'Progressing', 'ReplicaFailure', 'Complete', 'Failed', 'Suspended', 'FailureTarget'],
  ...['SuccessCriteriaMet', 'Established', 'NamesAccepted', 'Terminating', 'Approved', 'Denied', 'Resizing'],
  ...['FileSystemResizePending', 'AbleToScale', 'ScalingActive', 'ScalingLimited', 'DisruptionAllowed'],
  ...['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'],
];

/**
 * Returns an error with code `terminal`, as kubectl does, for a rollout that has failed and for a type without
 * rollouts.
 */
function rolledOut(object: ReadonlyObject | undefined, type?: KindSource): boolean | Error {
  if (object === undefined) return false;
  const whole = type ? withKind(object, type) : object;
  const { state, text } = rolloutOf(whole);
  if (state === 'done' || state === 'waiting') return state === 'done';
  const { name, namespace } = whole.metadata;
  const kind = (whole.kind ?? 'object').toLowerCase();
  if (state === 'unknown') return new InformerError('terminal', `--for rollout: ${kind} "${name}": ${text}`);
  const place = `${kind} ${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
  return new InformerError('terminal', `${kind} "${name}" ${text}`, {
    hint: `kubectl describe ${place} shows why, kubectl rollout undo ${place} goes back`,
  });
}

/** Returns an error with code `terminal` for an object that cannot become current by itself. */
function isCurrent(object: ReadonlyObject | undefined, type?: KindSource): boolean | Error {
  if (object === undefined) return false;
  const whole = type ? withKind(object, type) : object;
  const { status, message, isStuck } = kstatusOf(whole);
  if (!isStuck) return status === 'Current';
  const { name, namespace } = whole.metadata;
  const kind = (whole.kind ?? 'object').toLowerCase();
  return new InformerError('terminal', `${kind} "${name}" has failed${message === '' ? '' : `: ${message}`}`, {
    hint: `kubectl describe ${kind} ${name}${namespace === undefined ? '' : ` -n ${namespace}`} shows why`,
  });
}

type Fields = Readonly<Record<string, unknown>>;

function statusCondition(source: string, text: string): ForCondition {
  const [condition = '', value = 'true'] = text.split(/=(.*)/s);
  const [name, wanted] = [condition.toLowerCase(), value.toLowerCase()];
  const met = (object: ReadonlyObject | undefined) => object !== undefined && hasCondition(object, name, wanted);
  return { source, kind: 'condition', condition, met };
}

function hasCondition(object: ReadonlyObject, name: string, value: string): boolean {
  const status = isJsonMap(object.status) ? object.status : {};
  if (!Array.isArray(status.conditions)) return false;
  for (const condition of status.conditions) {
    if (!isJsonMap(condition) || typeof condition.type !== 'string' || condition.type.toLowerCase() !== name) continue;
    if (typeof condition.status !== 'string') continue;
    return condition.status.toLowerCase() === value && !isOutdated(object, status, condition);
  }
  return false;
}

/**
 * Whether the controller has not seen the current spec yet. The observedGeneration of the condition is used; if it has
 * none, that of the status.
 */
function isOutdated({ metadata }: ReadonlyObject, status: Fields, condition: Fields): boolean {
  const observed =
    typeof condition.observedGeneration === 'number' ? condition.observedGeneration : status.observedGeneration;
  return typeof metadata.generation === 'number' && typeof observed === 'number' && observed < metadata.generation;
}

function jsonPathCondition(source: string, text: string): ForCondition {
  const [expression = '', expected, ...more] = splitAtEqualSigns(text);
  if (more.length > 0)
    throw refused(
      "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
    );
  const path = relaxed(expression);
  const value = expected?.replace(/^['"]+|['"]+$/g, '');
  if (value === '')
    throw refused(
      "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
    );
  if (path === '') throw refused('jsonpath expression cannot be empty');
  const { values } = bound(compileJsonPath(path));
  return { source, kind: 'jsonpath', path, met: (object) => object !== undefined && isFound(values(object), value) };
}

const bound = <T extends { values(object: unknown): unknown[] }>(path: T) => ({
  values: (object: unknown) => path.values(object),
});
const refused = (message: string) => new InformerError('argument', message);

/** Splits at every single `=`: `a==b=c` becomes `a==b` and `c`. */
function splitAtEqualSigns(text: string): string[] {
  const out = [''];
  for (const part of text.match(/==|=|[^=]+/g) ?? []) {
    if (part === '=') out.push('');
    else out[out.length - 1] += part;
  }
  return out;
}

/** Source: kubectl pkg/cmd/get RelaxedJSONPathExpression. */
function relaxed(expression: string): string {
  if (expression === '') return '';
  const found = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(expression);
  if (!found)
    throw refused(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    );
  return `{.${found[1] ?? found[2]}}`;
}

function isFound(found: readonly unknown[], expected: string | undefined): boolean | Error {
  if (found.length === 0) return false;
  if (found.length > 1) return new InformerError('argument', 'given jsonpath expression matches more than one value');
  if (expected === undefined) return true;
  const [value] = found;
  if (isContainer(value))
    return new InformerError('argument', 'jsonpath leads to a nested object or list which is not supported');
  return goSprint(value).trim() === expected.trim();
}
