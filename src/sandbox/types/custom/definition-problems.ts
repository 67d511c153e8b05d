import type { UnknownObject } from '../../../model/object.ts';
import { forbiddenValue, invalidValue, required, unless, unsupportedValue } from '../../status/field-problems.ts';
import type { FieldProblem } from '../../status/statuses.ts';
import type { JsonSchema } from '../api-type.ts';
import { type CrdSpec, type CrdVersion, specOf } from './crd-types.ts';
import { patternProblem } from './patterns.ts';
import { ruleDefinitionProblems } from './rule-definitions.ts';
import { schemaProblems } from './schema-problems.ts';

/**
 * The problems of a CustomResourceDefinition. Source: apiextensions-apiserver pkg/apis/apiextensions/validation,
 * pkg/apiserver/schema.
 */
export function definitionProblems(crd: UnknownObject): FieldProblem[] {
  const spec = specOf(crd) as Partial<CrdSpec> | null | undefined;
  const { group = '', scope, names, versions } = spec ?? {};
  const wanted = `${names?.plural ?? ''}.${group}`;
  return [
    ...unless(
      crd.metadata.name === wanted,
      invalidValue('metadata.name', crd.metadata.name, 'must be spec.names.plural+"."+spec.group'),
    ),
    ...groupProblems(group),
    ...approvalProblems(crd, group),
    ...(crd.spec && (crd.spec as { preserveUnknownFields?: boolean }).preserveUnknownFields === true
      ? [PRESERVES]
      : []),
    ...unless(
      scope === 'Cluster' || scope === 'Namespaced',
      unsupportedValue('spec.scope', scope ?? '', ['Cluster', 'Namespaced']),
    ),
    ...versionsProblems(versions ?? []),
    ...nameProblems(names),
    ...conversionProblems(spec?.conversion),
  ];
}

const LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const PRESERVES = invalidValue(
  'spec.preserveUnknownFields',
  true,
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
);

const APPROVED = 'api-approved.kubernetes.io';

/** Groups under the domains of Kubernetes need an approval. */
function approvalProblems({ metadata }: UnknownObject, group: string): FieldProblem[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group) || metadata.annotations?.[APPROVED]) return [];
  const why = `protected groups must have approval annotation "${APPROVED}", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [required(`metadata.annotations[${APPROVED}]`, why)];
}

function groupProblems(group: string): FieldProblem[] {
  if (group === '') return [required('spec.group')];
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function nameProblems(names: Partial<CrdSpec['names']> = {}): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const label = (field: string, value: string | undefined, mixed = false) => {
    if (!value) return void problems.push(required(`spec.names.${field}`));
    if (LABEL.test(mixed ? value.toLowerCase() : value)) return;
    const why = mixed ? `may have mixed case, but should otherwise match: ${LABEL_TEXT}` : LABEL_TEXT;
    problems.push(invalidValue(`spec.names.${field}`, value, why));
  };
  label('plural', names.plural);
  if (names.singular) label('singular', names.singular);
  label('kind', names.kind, true);
  label('listKind', names.listKind, true);
  names.shortNames?.forEach((name, i) => void label(`shortNames[${i}]`, name));
  if (names.kind && names.kind === names.listKind) {
    problems.push(invalidValue('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  }
  names.categories?.forEach((name, i) => void label(`categories[${i}]`, name));
  return problems;
}

const HTTPS_ONLY = "'https' is the only allowed URL scheme; desired format: https://host[/path]";

function conversionProblems(conversion: CrdSpec['conversion']): FieldProblem[] {
  const { strategy = 'None', webhook } = conversion ?? {};
  if (strategy !== 'None' && strategy !== 'Webhook')
    return [unsupportedValue('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  if (strategy === 'None') return [];
  const { clientConfig, conversionReviewVersions = [] } = (webhook ?? {}) as Partial<NonNullable<typeof webhook>>;
  const at = 'spec.conversion';
  const { url = 'https:' } = clientConfig ?? {};
  const scheme = /^[^:]*/.exec(url)?.[0];
  const versions = `${at}.conversionReviewVersions`;
  const noneKnown = invalidValue(versions, conversionReviewVersions, 'must include at least one of v1, v1beta1');
  return [
    ...unless(clientConfig, required(`${at}.webhookClientConfig`, 'required when strategy is set to Webhook')),
    ...unless(scheme === 'https', invalidValue(`${at}.webhookClientConfig.url`, scheme, HTTPS_ONLY)),
    ...(conversionReviewVersions.length === 0
      ? [required(versions)]
      : unless(
          conversionReviewVersions.some((version) => ['v1', 'v1beta1'].includes(version)),
          noneKnown,
        )),
  ];
}

function versionsProblems(versions: readonly CrdVersion[]): FieldProblem[] {
  const names = versions.map((v) => v.name);
  const problems: FieldProblem[] = [];
  if (new Set(names).size < names.length)
    problems.push(invalidValue('spec.versions', versions, 'must contain unique version names'));
  if (versions.filter((v) => v.storage).length !== 1) {
    problems.push(invalidValue('spec.versions', versions, 'must have exactly one version marked as storage version'));
  }
  const found = [...problems, ...versions.flatMap((version, i) => versionProblems(version, `spec.versions[${i}]`))];
  return found.length > 0 ? found : ruleDefinitionProblems(versions);
}

function versionProblems(version: CrdVersion, path: string): FieldProblem[] {
  const schema = version.schema?.openAPIV3Schema;
  return [
    ...(LABEL.test(version.name ?? '') ? [] : [invalidValue(`${path}.name`, version.name, LABEL_TEXT)]),
    ...(schema
      ? structuralProblems(schema, `${path}.schema.openAPIV3Schema`)
      : [required(`${path}.schema.openAPIV3Schema`, 'schemas are required')]),
    ...scaleProblems(version, `${path}.subresources.scale`),
    ...columnProblems(version, `${path}.additionalPrinterColumns`),
    ...selectableProblems(version, `${path}.selectableFields`),
  ];
}

function scaleProblems({ subresources }: CrdVersion, path: string): FieldProblem[] {
  const { scale } = subresources ?? {};
  if (!scale) return [];
  const under = (name: 'specReplicasPath' | 'statusReplicasPath', root: string) => {
    const value = scale[name];
    if (!value) return [required(`${path}.${name}`)];
    return unless(
      value.startsWith(`${root}.`),
      invalidValue(`${path}.${name}`, value, `should be a json path under ${root}`),
    );
  };
  return [...under('specReplicasPath', '.spec'), ...under('statusReplicasPath', '.status')];
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];

function columnProblems({ additionalPrinterColumns = [] }: CrdVersion, path: string): FieldProblem[] {
  return additionalPrinterColumns.flatMap(({ name, type, jsonPath }, i) => [
    ...(name ? [] : [required(`${path}[${i}].name`)]),
    ...(type
      ? COLUMN_TYPES.includes(type)
        ? []
        : [unsupportedValue(`${path}[${i}].type`, type, COLUMN_TYPES)]
      : [required(`${path}[${i}].type`)]),
    ...(jsonPath ? [] : [required(`${path}[${i}].jsonPath`)]),
  ]);
}

function selectableProblems({ selectableFields = [], schema }: CrdVersion, path: string): FieldProblem[] {
  return selectableFields.flatMap(({ jsonPath }, i) => {
    if (!jsonPath) return [required(`${path}[${i}].jsonPath`)];
    const steps = jsonPath.split('.').slice(1);
    const found = steps.reduce<JsonSchema | undefined>((at, step) => at?.properties?.[step], schema?.openAPIV3Schema);
    if (found) return [];
    return [invalidValue(`${path}[${i}].jsonPath`, jsonPath, 'is an invalid path: does not refer to a valid field')];
  });
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** A structural schema has a type for each part. Source: apiextensions-apiserver apiserver/schema/validation.go. */
function structuralProblems(root: JsonSchema, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { type } = root;
  if (type && type !== 'object') problems.push(invalidValue(`${path}.type`, type, 'must be object at the root'));
  const metadata = Object.keys(root.properties?.metadata?.properties ?? {}).filter(
    (name) => name !== 'name' && name !== 'generateName',
  );
  if (metadata.length > 0) {
    const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    problems.push(forbiddenValue(`${path}.properties[metadata]`, why));
  }
  checkStructure(root, path, 'must not be empty at the root', problems);
  return problems;
}

function checkStructure(schema: JsonSchema, path: string, missing: string, problems: FieldProblem[]): void {
  if (typeof schema !== 'object') return void problems.push(invalidValue(path, schema, 'must be an object'));
  const { type, properties, items, additionalProperties } = schema;
  const free = schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields'];
  if (!type && !free) problems.push(required(`${path}.type`, missing));
  if (type && !TYPES.includes(type)) problems.push(unsupportedValue(`${path}.type`, type, TYPES));
  const unreadable = schema.pattern === undefined ? undefined : patternProblem(schema.pattern);
  if (unreadable)
    problems.push(
      invalidValue(`${path}.pattern`, schema.pattern, `must be a valid regular expression, but isn't: ${unreadable}`),
    );
  if ('$ref' in schema) problems.push(forbiddenValue(`${path}.$ref`, '$ref is not supported'));
  if (schema.uniqueItems) {
    problems.push(
      forbiddenValue(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  }
  if (properties && additionalProperties !== undefined) {
    problems.push(
      forbiddenValue(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    );
  }
  if (type === 'array' && !items) problems.push(required(`${path}.items`, 'must be specified'));
  checkListType(schema, path, problems);
  checkDefault(schema, path, problems);
  for (const [name, property] of Object.entries(properties ?? {})) {
    if (path.endsWith('openAPIV3Schema') && name === 'metadata') continue;
    checkStructure(property, `${path}.properties[${name}]`, 'must not be empty for specified object fields', problems);
  }
  if (items) checkStructure(items, `${path}.items`, 'must not be empty for specified array items', problems);
  if (typeof additionalProperties === 'object') {
    checkStructure(
      additionalProperties,
      `${path}.additionalProperties`,
      'must not be empty for specified object fields',
      problems,
    );
  }
}

function checkListType(schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType === undefined) return;
  if (listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    problems.push(unsupportedValue(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  if (schema.type !== 'array')
    problems.push(
      invalidValue(`${path}.type`, schema.type ?? '', 'must be array if x-kubernetes-list-type is specified'),
    );
  if (listType !== 'map') return;
  const field = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) problems.push(required(field, 'must not be empty if x-kubernetes-list-type is map'));
  for (const [i, key] of keys.entries()) {
    if (!schema.items?.properties?.[key])
      problems.push(invalidValue(`${field}[${i}]`, key, 'entries must all be names of item properties'));
  }
}

function checkDefault(schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  if (schema.default === undefined) return;
  const found = schemaProblems({ default: schema.default }, { type: 'object', properties: { default: schema } });
  for (const { field, reason, detail } of found) {
    problems.push({
      field: `${path}.${field}`,
      reason,
      detail: detail?.replace(`${field} in body`, ' in body').replace(':  in', ':  in'),
    });
  }
}
