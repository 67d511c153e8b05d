import { isContainer, isJsonMap } from '../kit/exact-json.ts';
import { formatGroupResource } from './gvr.ts';
import type { ResourceType } from './resource-type.ts';

/**
 * The progress of a workload's rollout. `text` describes it in kubectl's words, without the object's name. `failed`:
 * `kubectl rollout status` ends with an error. `unknown`: the object has no rollout status.
 */
export interface Rollout {
  readonly state: 'done' | 'waiting' | 'failed' | 'unknown';
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

const mapOf = (value: unknown): Fields => (isJsonMap(value) ? value : {});
/** The server leaves out counts that are 0. */
const countOf = (value: unknown): number => (isContainer(value) ? 0 : Number(value ?? 0));
/** The text of a value; '' for a map or list, which no text field has. */
const textOf = (value: unknown): string => (isContainer(value) ? '' : String(value ?? ''));

/** The kinds that have a rollout status. All are in the group apps. */
const RULES: Readonly<Record<string, (object: Fields) => Rollout>> = {
  Deployment: ofDeployment,
  StatefulSet: ofStatefulSet,
  DaemonSet: ofDaemonSet,
};

/** The types that have a rollout status, for messages. */
const ROLLED_OUT_TYPES = 'Deployments, StatefulSets and DaemonSets';

/** Whether objects of a type have a rollout status. */
export function hasRollout({ gvr, kind }: Pick<ResourceType, 'gvr' | 'kind'>): boolean {
  return gvr.group === 'apps' && Object.hasOwn(RULES, kind);
}

/** The reason, for a message, why a type has no rollout status. */
export const noRolloutText = ({ gvr }: Pick<ResourceType, 'gvr'>) =>
  `it is for ${ROLLED_OUT_TYPES}, not for ${formatGroupResource(gvr)}`;

/**
 * The rollout status of an object, by the rules of `kubectl rollout status`. The object needs its apiVersion and kind.
 * The controller must first have observed the current generation. A Deployment is done when its progress deadline has
 * not passed, all replicas are updated, no old one is left and all updated ones are available. A StatefulSet is done
 * when all replicas are ready, and either those beyond the partition are updated or all have one revision. A DaemonSet
 * is done when all wanted pods are updated and available. Objects with the strategy OnDelete have no status.
 * Source: kubectl pkg/polymorphichelpers/rollout_status.go.
 */
export function rolloutOf(object: Fields): Rollout {
  const kind = textOf(object.kind);
  const rule = Object.hasOwn(RULES, kind) && /^apps\//.test(textOf(object.apiVersion)) ? RULES[kind] : undefined;
  return rule
    ? rule(object)
    : unknown(`it is for ${ROLLED_OUT_TYPES}, not for ${kind === '' ? 'an object without a kind' : `a ${kind}`}`);
}

function ofDeployment(object: Fields): Rollout {
  const status = mapOf(object.status);
  if (!isObserved(object)) return waiting('waiting for deployment spec update to be observed');
  const progressing = conditionsOf(status).find(({ type }) => type === 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    return { state: 'failed', text: 'exceeded its progress deadline' };
  const wanted = replicasOf(object);
  const updated = countOf(status.updatedReplicas);
  const all = countOf(status.replicas);
  const available = countOf(status.availableReplicas);
  if (wanted !== undefined && updated < wanted)
    return waiting(`${updated} out of ${wanted} new replicas have been updated`);
  if (all > updated) return waiting(`${all - updated} old replicas are pending termination`);
  if (available < updated) return waiting(`${available} of ${updated} updated replicas are available`);
  return DONE;
}

function ofStatefulSet(object: Fields): Rollout {
  const status = mapOf(object.status);
  const strategy = mapOf(mapOf(object.spec).updateStrategy);
  if (strategy.type !== ROLLING) return noStatus();
  if (countOf(status.observedGeneration) === 0 || !isObserved(object))
    return waiting('waiting for statefulset spec update to be observed');
  const wanted = replicasOf(object);
  const ready = countOf(status.readyReplicas);
  if (wanted !== undefined && ready < wanted) return waiting(`waiting for ${wanted - ready} pods to be ready`);
  if (isJsonMap(strategy.rollingUpdate)) {
    const { partition } = strategy.rollingUpdate;
    const updated = countOf(status.updatedReplicas);
    if (wanted === undefined || partition === undefined || partition === null || updated >= wanted - countOf(partition))
      return DONE;
    return waiting(`${updated} out of ${wanted - countOf(partition)} new pods have been updated`);
  }
  if (textOf(status.updateRevision) === textOf(status.currentRevision)) return DONE;
  return waiting(`${countOf(status.updatedReplicas)} pods at revision ${textOf(status.updateRevision)}`);
}

function ofDaemonSet(object: Fields): Rollout {
  const status = mapOf(object.status);
  if (mapOf(mapOf(object.spec).updateStrategy).type !== ROLLING) return noStatus();
  if (!isObserved(object)) return waiting('waiting for daemon set spec update to be observed');
  const wanted = countOf(status.desiredNumberScheduled);
  const updated = countOf(status.updatedNumberScheduled);
  const available = countOf(status.numberAvailable);
  if (updated < wanted) return waiting(`${updated} out of ${wanted} new pods have been updated`);
  if (available < wanted) return waiting(`${available} of ${wanted} updated pods are available`);
  return DONE;
}

const ROLLING = 'RollingUpdate';
const DONE: Rollout = { state: 'done', text: 'successfully rolled out' };
const waiting = (text: string): Rollout => ({ state: 'waiting', text });
const unknown = (text: string): Rollout => ({ state: 'unknown', text });
const noStatus = () => unknown(`rollout status is only available for ${ROLLING} strategy type`);

function isObserved({ metadata, status }: Fields): boolean {
  return countOf(mapOf(metadata).generation) <= countOf(mapOf(status).observedGeneration);
}

/** Undefined when the object has no `spec.replicas`. */
function replicasOf({ spec }: Fields): number | undefined {
  const { replicas } = mapOf(spec);
  return replicas === undefined || replicas === null ? undefined : countOf(replicas);
}

function conditionsOf({ conditions }: Fields): Fields[] {
  return Array.isArray(conditions) ? conditions.filter(isJsonMap) : [];
}
