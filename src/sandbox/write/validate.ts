import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from '../discovery/api-type.ts';
import type { FieldProblem } from '../http/statuses.ts';
import { nameRule } from './traits.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** Source: apimachinery util/validation messages. */
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with an object, as far as the sandbox looks: its name, its labels, and the few fields nothing works without. */
export function problemsOf(type: ApiType, object: UnknownObject): FieldProblem[] {
  return [...nameProblems(type, object.metadata.name ?? ''), ...labelProblems(object.metadata.labels), ...fieldProblems(type, object)];
}

function nameProblems(type: ApiType, name: string): FieldProblem[] {
  const rule = nameRule(type);
  if (rule === 'segment') return /[/%]|^\.{1,2}$/.test(name) ? [invalidName(name, "may not contain '/'")] : [];
  const [pattern, text, longest] = rule === 'label' ? [LABEL, LABEL_TEXT, 63] : [SUBDOMAIN, SUBDOMAIN_TEXT, 253];
  if (name.length > longest) return [invalidName(name, `must be no more than ${longest} characters`)];
  return pattern.test(name) ? [] : [invalidName(name, text)];
}

function invalidName(name: string, text: string): FieldProblem {
  return { field: 'metadata.name', reason: 'FieldValueInvalid', detail: `${JSON.stringify(name)}: ${text}` };
}

function labelProblems(labels: Record<string, string> | undefined): FieldProblem[] {
  return Object.values(labels ?? {})
    .filter((value) => value !== '' && (String(value).length > 63 || !QUALIFIED.test(value)))
    .map((value) => ({ field: 'metadata.labels', reason: 'FieldValueInvalid', detail: `${JSON.stringify(value)}: ${LABEL_VALUE_TEXT}` }));
}

type Fields = Record<string, unknown>;
const fieldsAt = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

function fieldProblems(type: ApiType, object: UnknownObject): FieldProblem[] {
  const spec = fieldsAt(object.spec);
  if (type.storage === 'pods') return containerProblems(spec, 'spec');
  if (!WORKLOADS.has(type.storage)) return [];
  const template = fieldsAt(spec.template);
  return [...selectorProblems(spec, template), ...containerProblems(fieldsAt(template.spec), 'spec.template.spec')];
}

const WORKLOADS = new Set(['deployments.apps', 'replicasets.apps', 'statefulsets.apps', 'daemonsets.apps']);

function containerProblems(spec: Fields, at: string): FieldProblem[] {
  const containers = Array.isArray(spec.containers) ? (spec.containers as Fields[]) : [];
  if (containers.length === 0) return [{ field: `${at}.containers`, reason: 'FieldValueRequired' }];
  return containers.flatMap((container, i) => [
    ...(container.name ? [] : [{ field: `${at}.containers[${i}].name`, reason: 'FieldValueRequired' } as const]),
    ...(container.image ? [] : [{ field: `${at}.containers[${i}].image`, reason: 'FieldValueRequired' } as const]),
  ]);
}

function selectorProblems(spec: Fields, template: Fields): FieldProblem[] {
  const wanted = fieldsAt(fieldsAt(spec.selector).matchLabels) as Record<string, string>;
  const expressions = fieldsAt(spec.selector).matchExpressions;
  if (Object.keys(wanted).length === 0 && !expressions) return [{ field: 'spec.selector', reason: 'FieldValueRequired' }];
  const labels = fieldsAt(fieldsAt(template.metadata).labels);
  if (Object.entries(wanted).every(([key, value]) => labels[key] === value)) return [];
  const detail = `${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``;
  return [{ field: 'spec.template.metadata.labels', reason: 'FieldValueInvalid', detail }];
}
