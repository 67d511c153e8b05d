import { ageOf, type FieldMap, fieldsAt, listAt, nameOf, since, textAt } from './field-access.ts';

type Cells = (object: FieldMap, now: number) => unknown[];

/**
 * Cells of the types that feature gates turn on: trust bundles, certificates of pods, taints of devices and migrations.
 * Source: kubernetes/pkg/printers/internalversion of 1.37.
 */
export const GATED_CELLS: Readonly<Record<string, Cells>> = {
  'clustertrustbundles.certificates.k8s.io': (bundle) => [
    nameOf(bundle),
    textAt(fieldsAt(bundle, 'spec'), 'signerName', '<none>'),
  ],
  'podcertificaterequests.certificates.k8s.io': (request) => {
    const spec = fieldsAt(request, 'spec');
    return [
      nameOf(request),
      textAt(spec, 'podName'),
      textAt(spec, 'serviceAccountName'),
      textAt(spec, 'nodeName'),
      textAt(spec, 'signerName'),
      lastOf(['Issued', 'Denied', 'Failed'], conditionsOf(request), 'Pending'),
      labelsText(fieldsAt(spec, 'unverifiedUserAnnotations')),
    ];
  },
  'devicetaintrules.resource.k8s.io': (rule, now) => {
    const taint = fieldsAt(rule, 'spec', 'taint');
    return [
      nameOf(rule),
      textAt(taint, 'key'),
      textAt(taint, 'value'),
      textAt(taint, 'effect'),
      taint.timeAdded ? since(taint.timeAdded, now) : '',
      ageOf(rule, now),
    ];
  },
  'storageversionmigrations.storagemigration.k8s.io': (migration) => {
    const resource = fieldsAt(migration, 'spec', 'resource');
    const group = textAt(resource, 'group');
    return [
      nameOf(migration),
      `${textAt(resource, 'resource')}${group === '' ? '' : `.${group}`}`,
      lastOf(
        ['Running', 'Failed', 'Succeeded'],
        conditionsOf(migration).filter((condition) => condition.status === 'True'),
        'Unknown',
      ),
    ];
  },
};

function conditionsOf(object: FieldMap): readonly FieldMap[] {
  return listAt(fieldsAt(object, 'status'), 'conditions');
}

/** The type of the last condition with one of these types. */
function lastOf(types: readonly string[], conditions: readonly FieldMap[], none: string): string {
  return conditions.map((condition) => textAt(condition, 'type')).findLast((type) => types.includes(type)) ?? none;
}

/** `a=1,b=2`, sorted by key. Source: apimachinery labels.FormatLabels. */
function labelsText(labels: FieldMap): string {
  const keys = Object.keys(labels).sort();
  return keys.map((key) => `${key}=${labels[key]}`).join(',') || '<none>';
}
