import {
  anything,
  type FieldShape,
  fields,
  listField,
  mapField,
  oneOf,
  textField,
  truth,
  wholeField,
} from './shape.ts';

const nameSelector = fields({ matchNames: listField(textField) }, { required: ['matchNames'] });
const labelSelector = fields(
  {
    matchLabels: mapField(textField),
    matchExpressions: listField(
      fields(
        { key: textField, operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'), values: listField(textField) },
        { required: ['key', 'operator'] },
      ),
    ),
  },
  { least: 1 },
);
const events = listField(oneOf('Added', 'Modified', 'Deleted'));
const includeSnapshotsFrom = listField(textField, 1);

const schedule = fields(
  {
    name: textField,
    crontab: textField,
    allowFailure: truth,
    includeSnapshotsFrom,
    queue: textField,
    group: textField,
  },
  { required: ['crontab'] },
);

const kubernetes = fields(
  {
    name: textField,
    apiVersion: textField,
    kind: textField,
    watchEvent: events,
    executeHookOnEvent: events,
    includeSnapshotsFrom,
    queue: textField,
    group: textField,
    jqFilter: textField,
    keepFullObjectsInMemory: truth,
    allowFailure: truth,
    executeHookOnSynchronization: truth,
    waitForSynchronization: truth,
    resynchronizationPeriod: textField,
    nameSelector,
    labelSelector,
    fieldSelector: fields(
      {
        matchExpressions: listField(
          fields(
            { field: textField, operator: oneOf('=', '==', 'Equals', '!=', 'NotEquals'), value: textField },
            { required: ['field', 'operator', 'value'] },
          ),
        ),
      },
      { required: ['matchExpressions'] },
    ),
    namespace: fields({ nameSelector, labelSelector }, { least: 1 }),
  },
  { required: ['kind'] },
);

const rule = fields(
  {
    apiVersions: listField(textField, 1),
    apiGroups: listField(textField, 1),
    resources: listField(textField, 1),
    operations: listField(oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*'), 1),
    scope: oneOf('Cluster', 'Namespaced', '*'),
  },
  { required: ['apiVersions', 'apiGroups', 'resources', 'operations'] },
);

const admission = fields(
  {
    name: textField,
    group: textField,
    includeSnapshotsFrom,
    failurePolicy: oneOf('Ignore', 'Fail'),
    sideEffects: oneOf('None', 'NoneOnDryRun'),
    timeoutSeconds: wholeField,
    matchConditions: listField(
      fields({ expression: textField, name: textField }, { required: ['expression', 'name'] }),
    ),
    labelSelector,
    namespace: fields({ labelSelector }, { required: ['labelSelector'] }),
    rules: listField(rule, 1),
  },
  { required: ['name'] },
);

const conversion = fields(
  {
    name: textField,
    group: textField,
    includeSnapshotsFrom,
    crdName: textField,
    conversions: listField(
      fields({ fromVersion: textField, toVersion: textField }, { required: ['fromVersion', 'toVersion'] }),
      1,
    ),
  },
  { required: ['name', 'crdName', 'conversions'] },
);

const v0Event = fields(
  {
    name: textField,
    event: listField(oneOf('add', 'update', 'delete')),
    kind: textField,
    selector: labelSelector,
    objectName: textField,
    namespaceSelector: fields({ matchNames: listField(textField), any: truth }),
    jqFilter: textField,
    allowFailure: truth,
    disableDebug: truth,
  },
  { required: ['kind'] },
);

/** The fields of each version of a hook's configuration. Source: shell-operator pkg/hook/config/schemas.go. */
export const SHAPES: Readonly<Record<'v0' | 'v1', FieldShape>> = {
  v0: fields(
    {
      configVersion: anything,
      onStartup: wholeField,
      schedule: listField(
        fields({ name: textField, crontab: textField, allowFailure: truth }, { required: ['crontab'] }),
      ),
      onKubernetesEvent: listField(v0Event),
    },
    { least: 1 },
  ),
  v1: fields(
    {
      configVersion: textField,
      settings: fields({ executionMinInterval: textField, executionBurst: wholeField }),
      onStartup: wholeField,
      schedule: listField(schedule, 1),
      kubernetes: listField(kubernetes, 1),
      kubernetesMutating: listField(admission, 1),
      kubernetesValidating: listField(admission, 1),
      kubernetesCustomResourceConversion: listField(conversion, 1),
    },
    { least: 2 },
  ),
};
