import type { UnknownObject } from '../../model/object.ts';
import { flag, managerOf, type ResourceCall } from '../api/call.ts';
import { SCALES } from '../read/show-scale.ts';
import { forbiddenValue, invalidValue, tooLong, unsupportedValue } from '../status/field-problems.ts';
import { badRequest, invalid, invalidOptions } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import type { FieldValidation } from '../types/custom/custom-resource.ts';
import { contentTypeOf, decodeDeleteOptions, duplicatesIn } from './decode.ts';
import type { DeleteRules } from './deleter.ts';
import { APPLY_PATCH } from './patch.ts';
import { checkTypes } from './request-checks.ts';
import type { WriteRules } from './writer.ts';

/** The options of a write. `headers` returns the warnings of the write so far, as headers of the answer. */
export function writeOptions(
  call: ResourceCall,
  kind: string,
): { options: WriteRules; headers: () => Record<string, string> } {
  const warnings: string[] = [];
  checkPatchOptions(call, kind);
  const fieldValidation = fieldValidationOf(call.query.get('fieldValidation'), kind);
  const options: WriteRules = {
    manager: managerOf(call),
    subresource: call.subresource,
    dryRun: isDryRun(call.query.getAll('dryRun'), kind),
    fieldValidation,
    duplicates: fieldValidation === 'Ignore' ? [] : duplicatesIn(call),
    warn: (text) => warnings.push(text),
  };
  const headers = () => warningHeader(warnings);
  return { options, headers };
}

/** Source: apimachinery meta/v1/validation ValidatePatchOptions, ValidateFieldManager. */
function checkPatchOptions(call: ResourceCall, kind: string): void {
  const { query } = call;
  if ((query.get('fieldManager')?.length ?? 0) > 128) {
    invalidOptions(kind, tooLong('fieldManager', 128));
  }
  if (kind !== 'PatchOptions' || contentTypeOf(call) === APPLY_PATCH || !query.has('force')) return;
  invalidOptions(kind, forbiddenValue('force', 'may not be specified for non-apply patch'));
}

function isDryRun(values: readonly string[], kind: string): boolean {
  const wrong = values.find((v) => v !== 'All');
  if (wrong === undefined) return values.length > 0;
  return invalid({ group: 'meta.k8s.io', kind }, '', [unsupportedValue('dryRun', wrong, ['All'])]);
}

function fieldValidationOf(value: string | null, kind: string): FieldValidation {
  if (value === null || value === '') return 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  const problem = unsupportedValue('fieldValidation', value, ['Ignore', 'Strict', 'Warn']);
  return invalid({ group: 'meta.k8s.io', kind }, '', [problem]);
}

/**
 * The options of a delete, from the body, or from the query when the body is empty. Throws 422 for an unknown policy.
 */
export function deleteOptions(call: ResourceCall): DeleteRules {
  const body = decodeDeleteOptions(call);
  const options = (body.deleteOptions ?? body) as Record<string, unknown>;
  checkTypes({ ...call, type: DELETE_OPTIONS }, options as unknown as UnknownObject);
  const preconditions = (options.preconditions ?? {}) as { uid?: string; resourceVersion?: string };
  const grace = options.gracePeriodSeconds ?? wholeNumber(call.query.get('gracePeriodSeconds'));
  const policy = (options.propagationPolicy ?? call.query.get('propagationPolicy') ?? undefined) as string | undefined;
  const orphans = options.orphanDependents ?? orphansByQuery(call);
  return {
    ...preconditions,
    gracePeriodSeconds: grace as number | undefined,
    propagationPolicy: policyOf(policy, orphans),
    dryRun: isDryRun((options.dryRun as string[] | undefined) ?? call.query.getAll('dryRun'), 'DeleteOptions'),
  };
}

/** The type of the body of a delete, for error texts. Nothing of this type is stored. */
const DELETE_OPTIONS: ApiType = {
  ...SCALES,
  gvr: { group: 'meta.k8s.io', version: 'v1', resource: 'deleteoptions' },
  kind: 'DeleteOptions',
};

function wholeNumber(text: string | null): number | undefined {
  if (!text) return undefined;
  return /^[+-]?\d+$/.test(text)
    ? Number(text)
    : badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function orphansByQuery({ query }: ResourceCall): boolean | undefined {
  return query.has('orphanDependents') ? flag(query, 'orphanDependents') : undefined;
}

/** Source: apimachinery meta/v1/validation ValidateDeleteOptions. `orphanDependents` is the old form of the option. */
function policyOf(policy: string | undefined, orphans: unknown): DeleteRules['propagationPolicy'] {
  const field = 'propagationPolicy';
  if (policy !== undefined && typeof orphans === 'boolean') {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    invalidOptions('DeleteOptions', invalidValue(field, policy, why));
  }
  if (typeof orphans === 'boolean') return orphans ? 'Orphan' : 'Background';
  if (policy === undefined || policy === 'Foreground' || policy === 'Background' || policy === 'Orphan') return policy;
  const supported = ['Foreground', 'Background', 'Orphan', 'nil'];
  return invalidOptions('DeleteOptions', unsupportedValue(field, policy, supported));
}

const ORPHANS =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** The warning for the delete of a job without a propagation policy. */
export function orphanWarning({ storage }: ApiType, { propagationPolicy }: DeleteRules): Record<string, string> {
  return storage === 'jobs.batch' && propagationPolicy === undefined ? warningHeader([ORPHANS]) : {};
}

/** The header of warnings for the client; none without warnings. */
export function warningHeader(warnings: readonly string[]): Record<string, string> {
  return warnings.length === 0 ? {} : { warning: warnings.map((w) => `299 - ${JSON.stringify(w)}`).join(', ') };
}
