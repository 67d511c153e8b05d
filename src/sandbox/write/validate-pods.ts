import { duplicateValue, forbiddenValue, invalidValue, required, unless } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import { exceeds, negativeAmounts } from './validate-amounts.ts';

type Fields = Record<string, unknown>;

export const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
export const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function itemsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/**
 * The problems of a pod spec. The sandbox checks a part of what a real server checks. `claimed` has volumes from claim
 * templates.
 * Source: kubernetes/pkg/apis/core/validation ValidatePodSpec.
 */
export function podSpecProblems(spec: Fields, at: string, claimed: readonly unknown[] = []): FieldProblem[] {
  const volumes = new Set([...itemsOf(spec.volumes).map((v) => v.name), ...claimed]);
  const containers = itemsOf(spec.containers);
  const taken = new Set<unknown>();
  return [
    ...volumeProblems(itemsOf(spec.volumes), `${at}.volumes`),
    ...(containers.length === 0 ? [required(`${at}.containers`)] : []),
    ...containersProblems(containers, `${at}.containers`, volumes, taken),
    ...containersProblems(itemsOf(spec.initContainers), `${at}.initContainers`, volumes, taken),
  ];
}

function nameProblem(name: unknown, field: string, taken: Set<unknown>): FieldProblem[] {
  if (!name) return [required(field)];
  if (String(name).length > 63) return [invalidValue(field, name, 'must be no more than 63 characters')];
  if (!LABEL.test(String(name))) return [invalidValue(field, name, LABEL_TEXT)];
  if (taken.has(name)) return [duplicateValue(field, name)];
  taken.add(name);
  return [];
}

function volumeProblems(volumes: readonly Fields[], at: string): FieldProblem[] {
  const taken = new Set<unknown>();
  return volumes.flatMap((volume, i) => [
    ...nameProblem(volume.name, `${at}[${i}].name`, taken),
    ...Object.keys(volume)
      .filter((name) => name !== 'name')
      .slice(1)
      .map((name): FieldProblem => forbiddenValue(`${at}[${i}].${name}`, 'may not specify more than 1 volume type')),
  ]);
}

function containersProblems(
  containers: readonly Fields[],
  at: string,
  volumes: ReadonlySet<unknown>,
  taken: Set<unknown>,
): FieldProblem[] {
  return containers.flatMap((container, i) => containerProblems(container, `${at}[${i}]`, volumes, taken));
}

function containerProblems(
  container: Fields,
  at: string,
  volumes: ReadonlySet<unknown>,
  taken: Set<unknown>,
): FieldProblem[] {
  return [
    ...nameProblem(container.name, `${at}.name`, taken),
    ...(container.image ? [] : [required(`${at}.image`)]),
    ...itemsOf(container.ports).flatMap(({ containerPort }, i) =>
      portProblems(containerPort, `${at}.ports[${i}].containerPort`),
    ),
    ...itemsOf(container.env).flatMap((variable, i) => variableProblems(variable, `${at}.env[${i}]`)),
    ...mountProblems(itemsOf(container.volumeMounts), `${at}.volumeMounts`, volumes),
    ...resourceProblems(fieldsOf(container.resources), `${at}.resources`),
  ];
}

function portProblems(port: unknown, field: string): FieldProblem[] {
  if (!port) return [required(field)];
  return unless(
    Number(port) >= 1 && Number(port) <= 65_535,
    invalidValue(field, port, 'must be between 1 and 65535, inclusive'),
  );
}

function variableProblems({ name, value, valueFrom }: Fields, at: string): FieldProblem[] {
  const both =
    value && valueFrom ? [invalidValue(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty')] : [];
  return [...(name ? [] : [required(`${at}.name`)]), ...both];
}

function mountProblems(mounts: readonly Fields[], at: string, volumes: ReadonlySet<unknown>): FieldProblem[] {
  const taken = new Set<unknown>();
  return mounts.flatMap(({ name, mountPath }, i) => {
    const problems: FieldProblem[] = [];
    if (!name) problems.push(required(`${at}[${i}].name`));
    else if (!volumes.has(name))
      problems.push({ field: `${at}[${i}].name`, reason: 'FieldValueNotFound', detail: JSON.stringify(name) });
    if (!mountPath) problems.push(required(`${at}[${i}].mountPath`));
    else if (taken.has(mountPath)) problems.push(invalidValue(`${at}[${i}].mountPath`, mountPath, 'must be unique'));
    taken.add(mountPath);
    return problems;
  });
}

function resourceProblems({ limits, requests }: Fields, at: string): FieldProblem[] {
  const [most, asked] = [fieldsOf(limits), fieldsOf(requests)];
  const beyond = Object.entries(asked)
    .filter(([name, amount]) => most[name] !== undefined && exceeds(amount, most[name]))
    .map(([name, amount]) =>
      invalidValue(`${at}.requests`, amount, `must be less than or equal to ${name} limit of ${most[name]}`),
    );
  return [...negativeAmounts(most, `${at}.limits`), ...negativeAmounts(asked, `${at}.requests`), ...beyond];
}
