import { expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { isFieldKnown, selectorFieldValue } from '../../../src/serve/hold/field-values.ts';

const typeOf = (group: string, resource: string, kind: string) =>
  ({ gvr: { group, version: 'v1', resource }, kind, namespaced: true }) as ResourceType;
const PODS = typeOf('', 'pods', 'Pod');
const NODES = typeOf('', 'nodes', 'Node');
const JOBS = typeOf('batch', 'jobs', 'Job');
const EVENTS = typeOf('', 'events', 'Event');

it.each<[ResourceType, string, object, string]>([
  [PODS, 'metadata.name', {}, 'a'],
  [PODS, 'spec.nodeName', { spec: { nodeName: 'n1' } }, 'n1'],
  [PODS, 'spec.nodeName', { spec: {} }, ''],
  [PODS, 'spec.nodeName', {}, ''],
  [PODS, 'spec.nodeName', { spec: null }, ''],
  [PODS, 'spec.nodeName', { spec: { nodeName: null } }, ''],
  [PODS, 'spec.hostNetwork', { spec: { hostNetwork: true } }, 'true'],
  [NODES, 'spec.unschedulable', { spec: { unschedulable: true } }, 'true'],
  [NODES, 'spec.unschedulable', { spec: {} }, 'false'],
  [JOBS, 'status.successful', { status: { succeeded: 2 } }, '2'],
  [JOBS, 'status.successful', {}, '0'],
  [typeOf('', 'replicationcontrollers', 'ReplicationController'), 'status.replicas', {}, '0'],
  [EVENTS, 'reportingComponent', { reportingComponent: 'x', source: { component: 'y' } }, 'x'],
  [EVENTS, 'reportingComponent', { source: { component: 'y' } }, 'y'],
  [EVENTS, 'reportingComponent', {}, ''],
])('of %j the field %s of %j is %j', (type, field, more, value) => {
  const object = { metadata: { name: 'a' }, ...more } as UnknownObject;
  expect(selectorFieldValue(type, object, field)).toBe(value);
});

it('it is known how a server reads the fields that it selects a type by', () => {
  expect([isFieldKnown(PODS, 'spec.nodeName'), isFieldKnown(PODS, 'spec.containers')]).toEqual([true, false]);
});
