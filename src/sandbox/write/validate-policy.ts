import type { UnknownObject } from '../../model/object.ts';
import { forbiddenValue, invalidValue, required, unless, unsupportedValue } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import { negativeAmounts } from './validate-amounts.ts';
import { fieldsOf } from './validate-pods.ts';

/** Source: kubernetes/pkg/apis/policy/validation ValidatePodDisruptionBudgetSpec. */
export function disruptionBudgetProblems({ spec: value }: UnknownObject): FieldProblem[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = fieldsOf(value);
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const given = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    };
    return [invalidValue('spec', given, 'minAvailable and maxUnavailable cannot be both set')];
  }
  const field = minAvailable === undefined ? 'maxUnavailable' : 'minAvailable';
  return shareProblems(minAvailable ?? maxUnavailable, `spec.${field}`);
}

/** The problems of a number of pods, or of a share of them. */
function shareProblems(value: unknown, at: string): FieldProblem[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'string')
    return Number(value) < 0 ? [invalidValue(at, value, 'must be greater than or equal to 0')] : [];
  if (!/^\d+%$/.test(value)) {
    const form =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    return [invalidValue(at, value, form)];
  }
  return Number.parseInt(value, 10) > 100 ? [invalidValue(at, value, 'must not be greater than 100%')] : [];
}

const SYSTEM: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** Source: kubernetes/pkg/apis/scheduling/validation ValidatePriorityClass. */
export function priorityClassProblems({ metadata: { name = '' }, value }: UnknownObject): FieldProblem[] {
  if (name.startsWith('system-')) {
    if (SYSTEM[name] === value) return [];
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
    return [forbiddenValue('metadata.name', detail)];
  }
  const detail = 'maximum allowed value of a user defined priority is 1000000000';
  return Number(value) > 1_000_000_000 ? [forbiddenValue('value', detail)] : [];
}

/** Source: kubernetes/pkg/apis/core/validation ValidateResourceQuotaSpec. */
export function quotaProblems({ spec }: UnknownObject): FieldProblem[] {
  return negativeAmounts(fieldsOf(fieldsOf(spec).hard), 'spec.hard');
}

/** Source: kubernetes/pkg/apis/storage/validation ValidateStorageClass. */
export function storageClassProblems({ provisioner }: UnknownObject): FieldProblem[] {
  return provisioner ? [] : [required('provisioner')];
}

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

/** Source: kubernetes/pkg/apis/rbac/validation ValidateRoleBindingSubject. */
export function subjectProblems(subjects: readonly Record<string, unknown>[], namespaced: boolean): FieldProblem[] {
  return subjects.flatMap(({ kind, name, namespace }, i): FieldProblem[] => {
    const at = `subjects[${i}]`;
    if (!SUBJECT_KINDS.includes(String(kind))) {
      return [...unless(name, required(`${at}.name`)), unsupportedValue(`${at}.kind`, kind ?? '', SUBJECT_KINDS)];
    }
    const needsNamespace = kind === 'ServiceAccount' && !namespaced && !namespace;
    return [...unless(name, required(`${at}.name`)), ...unless(!needsNamespace, required(`${at}.namespace`))];
  });
}
