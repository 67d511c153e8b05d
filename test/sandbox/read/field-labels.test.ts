import { expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { checkFieldLabel, fieldValue } from '../../../src/sandbox/read/field-labels.ts';
import { builtinType, customType } from '../../support/api-types.ts';

const CUSTOM = customType({ selectableFields: ['spec.colour', 'spec.size'] });
const TYPES = {
  pods: builtinType('pods'),
  nodes: builtinType('nodes'),
  configmaps: builtinType('configmaps'),
  replicasets: builtinType('replicasets', 'apps'),
  events: builtinType('events'),
  'events of events.k8s.io': builtinType('events', 'events.k8s.io'),
  'a custom type': CUSTOM,
  'a custom type without namespaces': { ...CUSTOM, namespaced: false },
};
type Name = keyof typeof TYPES;
const object = (fields: object) =>
  ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'a', namespace: 'b' }, ...fields }) as UnknownObject;

it.each<[type: Name, label: string]>([
  ['pods', 'metadata.name'],
  ['pods', 'metadata.namespace'],
  ['pods', 'spec.nodeName'],
  ['nodes', 'metadata.namespace'],
  ['configmaps', 'metadata.name'],
  ['events', 'involvedObject.name'],
  ['events of events.k8s.io', 'regarding.name'],
  ['events of events.k8s.io', 'reportingController'],
  ['a custom type', 'spec.colour'],
])('%s can be selected by %s', (type, label) => {
  expect(() => checkFieldLabel(TYPES[type], label)).not.toThrow();
});

it.each<[type: Name, label: string, message: string]>([
  ['pods', 'spec.foo', 'field label not supported: spec.foo'],
  ['pods', 'toString', 'field label not supported: toString'],
  ['configmaps', 'data.a', '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ['a custom type', 'spec.weight', 'field label not supported: spec.weight'],
  ['a custom type without namespaces', 'metadata.namespace', 'field label not supported: metadata.namespace'],
])('%s cannot be selected by %s', (type, label, message) => {
  expect(() => checkFieldLabel(TYPES[type], label)).toThrow(message);
});

it.each<[type: Name, fields: object, label: string, value: string]>([
  ['pods', {}, 'metadata.name', 'a'],
  ['pods', { spec: { nodeName: 'n1' } }, 'spec.nodeName', 'n1'],
  ['pods', {}, 'spec.nodeName', ''],
  ['pods', {}, 'spec.hostNetwork', 'false'],
  ['pods', { spec: { hostNetwork: true } }, 'spec.hostNetwork', 'true'],
  ['nodes', { spec: {} }, 'spec.unschedulable', 'false'],
  ['replicasets', {}, 'status.replicas', '0'],
  ['events', { source: { component: 'kubelet' }, reportingComponent: 'other' }, 'source', 'kubelet'],
  ['events', { reportingComponent: 'other' }, 'source', 'other'],
  ['events of events.k8s.io', { involvedObject: { name: 'web' } }, 'regarding.name', 'web'],
  ['a custom type', { spec: { size: 9_007_199_254_740_993n } }, 'spec.size', '9007199254740993'],
  ['a custom type', { spec: { colour: { r: 1 } } }, 'spec.colour', '{"r":1}'],
  ['a custom type', { spec: null }, 'spec.colour', ''],
])('%s with %o: the value of %s is %j', (type, fields, label, value) => {
  expect(fieldValue(TYPES[type], object(fields), label)).toBe(value);
});
