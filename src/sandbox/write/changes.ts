import type { ObjectMeta, UnknownObject } from '../../model/object.ts';
import { forbiddenValue, invalidValue, unless } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { equalJson } from '../types/equal.ts';
import { podSpec } from './pod-changes.ts';
import { clusterIps } from './service-changes.ts';
import { fieldsOf, itemsOf } from './validate-pods.ts';

type Fields = Record<string, unknown>;

/**
 * The problems of a change of metadata. `given` is what the client sent, `after` is what would be stored.
 * Source: apimachinery api/validation ValidateObjectMetaAccessorUpdate.
 */
export function metadataChangeProblems(before: ObjectMeta, given: ObjectMeta, after: ObjectMeta): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const added = (after.finalizers ?? []).filter((f) => !before.finalizers?.includes(f));
  if (before.deletionTimestamp && added.length > 0) {
    const found = `[]string{${added.map((f) => JSON.stringify(f)).join(', ')}}`;
    const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`;
    problems.push(forbiddenValue('metadata.finalizers', detail));
  }
  if (before.deletionTimestamp) return problems; // the client's value is ignored
  if (given.deletionTimestamp) problems.push(immutable('metadata.deletionTimestamp', given.deletionTimestamp));
  if (typeof given.deletionGracePeriodSeconds === 'number') {
    problems.push(immutable('metadata.deletionGracePeriodSeconds', given.deletionGracePeriodSeconds));
  }
  return problems;
}

/**
 * The forbidden changes between two states of an object of a built-in type. Source: the ValidateUpdate functions of
 * kubernetes/pkg/apis.
 */
export function changeProblems(type: ApiType, before: UnknownObject, after: UnknownObject): FieldProblem[] {
  return CHANGES[type.storage]?.(before, after) ?? [];
}

type Rule = (before: UnknownObject, after: UnknownObject) => FieldProblem[];

/** A rule that forbids changes of these fields. */
function fixed(...paths: string[]): Rule {
  return (before, after) =>
    paths.filter((path) => !sameAt(path, before, after)).map((path) => immutable(path, valueAt(path, after)));
}

function all(...rules: Rule[]): Rule {
  return (before, after) => rules.flatMap((rule) => rule(before, after));
}

function forbiddenChange(path: string, detail: string): Rule {
  return (before, after) => (sameAt(path, before, after) ? [] : [forbiddenValue(path, detail)]);
}

const whenImmutable =
  (...paths: string[]): Rule =>
  (before, after) =>
    before.immutable === true
      ? ['immutable', ...paths]
          .filter((path) => !equalJson(valueAt(path, before) ?? {}, valueAt(path, after) ?? {}))
          .map((field) => forbiddenValue(field, 'field is immutable when `immutable` is set'))
      : [];

const roleRef: Rule = (before, after) =>
  unless(sameAt('roleRef', before, after), invalidValue('roleRef', after.roleRef, 'cannot change roleRef'));

const CHANGES: Readonly<Record<string, Rule>> = {
  'clusterrolebindings.rbac.authorization.k8s.io': roleRef,
  'clustertrustbundles.certificates.k8s.io': fixed('spec.signerName'),
  configmaps: whenImmutable('data', 'binaryData'),
  'controllerrevisions.apps': fixed('data'),
  'customresourcedefinitions.apiextensions.k8s.io': all(
    fixed('spec.group', 'spec.scope', 'spec.names.kind', 'spec.names.plural'),
    storedVersions,
  ),
  'daemonsets.apps': fixed('spec.selector'),
  'deployments.apps': fixed('spec.selector'),
  'endpointslices.discovery.k8s.io': fixed('addressType'),
  'ingressclasses.networking.k8s.io': fixed('spec.controller'),
  'jobs.batch': all(fixed('spec.selector', 'spec.completionMode'), jobCompletions, jobTemplate),
  persistentvolumeclaims: claim,
  'podcertificaterequests.certificates.k8s.io': fixed('spec'),
  pods: podSpec,
  'priorityclasses.scheduling.k8s.io': all(
    forbiddenChange('value', 'may not be changed in an update.'),
    fixed('preemptionPolicy'),
  ),
  'replicasets.apps': fixed('spec.selector'),
  'rolebindings.rbac.authorization.k8s.io': roleRef,
  secrets: all(fixed('type'), whenImmutable('data')),
  services: clusterIps,
  'statefulsets.apps': statefulSet,
  'storageversionmigrations.storagemigration.k8s.io': fixed('spec'),
  'storageclasses.storage.k8s.io': all(
    forbiddenChange('parameters', 'updates to parameters are forbidden.'),
    forbiddenChange('provisioner', 'updates to provisioner are forbidden.'),
    forbiddenChange('reclaimPolicy', 'updates to reclaimPolicy are forbidden.'),
    fixed('volumeBindingMode'),
  ),
};

const STATEFUL_SET_FIELDS = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function statefulSet(before: UnknownObject, after: UnknownObject): FieldProblem[] {
  const rest = (spec: unknown) =>
    Object.fromEntries(Object.entries(fieldsOf(spec)).filter(([name]) => !STATEFUL_SET_FIELDS.includes(name)));
  if (equalJson(rest(before.spec), rest(after.spec))) return [];
  const names = STATEFUL_SET_FIELDS.map((name) => `'${name}'`);
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return [forbiddenValue('spec', `updates to statefulset spec for fields other than ${listed} are forbidden`)];
}

/** Forbids removing a version in which objects can be stored. */
function storedVersions(before: UnknownObject, after: UnknownObject): FieldProblem[] {
  const { storedVersions: stored = [] } = fieldsOf(before.status) as { storedVersions?: string[] };
  const names = itemsOf(fieldsOf(after.spec).versions).map((v) => v.name);
  return stored.flatMap((name, i): FieldProblem[] => {
    if (names.includes(name)) return [];
    const why = `must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    const lost = `missing from spec.versions; ${name} was previously a storage version, and ${why}`;
    return [invalidValue(`status.storedVersions[${i}]`, name, lost)];
  });
}

/** Allows an indexed job to change its completions while they equal its parallelism. */
function jobCompletions(before: UnknownObject, after: UnknownObject): FieldProblem[] {
  const spec = fieldsOf(after.spec);
  if (spec.completionMode === 'Indexed' && spec.completions === spec.parallelism) return [];
  return fixed('spec.completions')(before, after);
}

/** Allows changes of the pod template of a job that is suspended and has not started. */
function jobTemplate(before: UnknownObject, after: UnknownObject): FieldProblem[] {
  if (fieldsOf(before.spec).suspend === true && !fieldsOf(before.status).startTime) return [];
  return fixed('spec.template')(before, after);
}

function claim(before: UnknownObject, after: UnknownObject): FieldProblem[] {
  const bound = fieldsOf(before.status).phase === 'Bound';
  const rest = (spec: unknown) => {
    const { resources, volumeAttributesClassName, ...others } = fieldsOf(spec);
    const { requests: _requests, ...limits } = fieldsOf(resources);
    return bound ? { ...others, resources: limits } : { ...others, resources, volumeAttributesClassName };
  };
  const withVolume = {
    ...fieldsOf(before.spec),
    ...(fieldsOf(before.spec).volumeName ? {} : pick(after.spec, 'volumeName')),
  };
  if (equalJson(present(rest(withVolume)), present(rest(after.spec)))) return [];
  const detail =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';
  return [forbiddenValue('spec', detail)];
}

function pick(value: unknown, name: string): Fields {
  const inner = fieldsOf(value)[name];
  return inner === undefined ? {} : { [name]: inner };
}

function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function immutable(field: string, value: unknown): FieldProblem {
  return invalidValue(field, value, 'field is immutable');
}

function sameAt(path: string, before: UnknownObject, after: UnknownObject): boolean {
  return equalJson(valueAt(path, before), valueAt(path, after));
}

function valueAt(path: string, object: UnknownObject): unknown {
  return path.split('.').reduce<unknown>((at, name) => fieldsOf(at)[name], object);
}
