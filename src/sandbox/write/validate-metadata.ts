import type { ObjectMeta } from '../../model/object.ts';
import { invalidValue, tooLong } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';

const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
export const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Source: apimachinery util/validation messages. */
export const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NAME_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** The most bytes of all annotations of an object together. */
const ANNOTATION_BYTES = 262_144;

/** The problems of metadata, except its name. Source: apimachinery api/validation ValidateObjectMetaAccessor. */
export function metadataProblems({
  ownerReferences = [],
  annotations = {},
  labels = {},
  finalizers = [],
}: ObjectMeta): FieldProblem[] {
  return [
    ...labelProblems(labels, 'metadata.labels'),
    ...annotationProblems(annotations),
    ...ownerProblems(ownerReferences),
    ...finalizerProblems(finalizers),
  ];
}

/** The problems of labels: of their keys and their values. */
export function labelProblems(labels: Readonly<Record<string, string>>, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const key in labels) {
    const value = labels[key] ?? '';
    if (PLAIN.test(key) && (value === '' || PLAIN.test(value))) continue; // nearly all labels
    problems.push(...qualifiedNameProblems(key).map((why) => invalidValue(field, key, why)));
    problems.push(...labelValueProblems(value).map((why) => invalidValue(field, value, why)));
  }
  return problems;
}

const PLAIN = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

export function labelValueProblems(value: string): string[] {
  const long = value.length > 63 ? ['must be no more than 63 characters'] : [];
  return value === '' || QUALIFIED.test(value) ? long : [...long, LABEL_VALUE_TEXT];
}

/** `example.com/name` or `name`. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split('/');
  const [prefix, name = ''] = parts.length === 1 ? [undefined, text] : parts;
  if (parts.length > 2) {
    return [`a qualified name ${NAME_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems: string[] = [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined && !SUBDOMAIN.test(prefix)) problems.push(`prefix part ${SUBDOMAIN_TEXT}`);
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 characters');
  if (!QUALIFIED.test(name)) problems.push(`name part ${NAME_TEXT}`);
  return problems;
}

function annotationProblems(annotations: Readonly<Record<string, string>>): FieldProblem[] {
  const field = 'metadata.annotations';
  let bytes = 0;
  const problems: FieldProblem[] = [];
  for (const key in annotations) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '');
    problems.push(...qualifiedNameProblems(key.toLowerCase()).map((why) => invalidValue(field, key, why)));
  }
  if (bytes <= ANNOTATION_BYTES) return problems;
  return [...problems, tooLong(field, ANNOTATION_BYTES)];
}

function ownerProblems(owners: NonNullable<ObjectMeta['ownerReferences']>): FieldProblem[] {
  const field = 'metadata.ownerReferences';
  const problems: FieldProblem[] = [];
  for (const { apiVersion, kind, name, uid } of owners) {
    if (!apiVersion) problems.push(invalidValue(`${field}.apiVersion`, '', 'version must not be empty'));
    if (!kind) problems.push(invalidValue(`${field}.kind`, '', 'must not be empty'));
    if (!name) problems.push(invalidValue(`${field}.name`, '', 'must not be empty'));
    if (!uid) problems.push(invalidValue(`${field}.uid`, '', 'must not be empty'));
  }
  const [first, second] = owners.filter((o) => o.controller === true).map((o) => `${o.kind}/${o.name}`);
  if (second === undefined) return problems;
  const why = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
  return [...problems, invalidValue(field, owners, why)];
}

/** The finalizers that built-in types refuse. Source: kubernetes/pkg/apis/core/validation ValidateFinalizerName. */
export function unqualifiedFinalizers({ finalizers = [] }: ObjectMeta): FieldProblem[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((name, i) =>
    name.includes('/') || STANDARD_FINALIZERS.has(name) ? [] : [invalidValue(`metadata.finalizers[${i}]`, name, why)],
  );
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function finalizerProblems(finalizers: readonly string[]): FieldProblem[] {
  const field = 'metadata.finalizers';
  const problems = finalizers.flatMap((f) => qualifiedNameProblems(f).map((why) => invalidValue(field, f, why)));
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return problems;
  return [...problems, invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')];
}
