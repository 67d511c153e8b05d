import type { UnknownObject } from '../../model/object.ts';
import type { FieldProblem } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { equalJson } from '../types/equal.ts';
import { fieldsOf, itemsOf } from './validate-pods.ts';

type Fields = Record<string, unknown>;

/** Forbids changes of the address of a service. */
export function clusterIps(before: UnknownObject, after: UnknownObject): FieldProblem[] {
  const [was, is] = [fieldsOf(before.spec), fieldsOf(after.spec)];
  if (!hasClusterIp(was) || !hasClusterIp(is) || !was.clusterIP || was.clusterIP === is.clusterIP) return [];
  return [
    {
      field: 'spec.clusterIPs[0]',
      reason: 'FieldValueInvalid',
      detail: `${JSON.stringify(is.clusterIPs)}: may not change once set`,
    },
  ];
}

function hasClusterIp({ type }: Fields): boolean {
  return type !== 'ExternalName';
}

/**
 * Adds what the server allocated and an update omits: the addresses and node ports of a service. Changes `after`.
 * Source: kubernetes/pkg/registry/core/service patchAllocatedValues, normalizeClusterIPs.
 */
export function keepAllocated(type: ApiType, before: UnknownObject, after: UnknownObject): void {
  if (type.storage !== 'services') return;
  const [was, is] = [fieldsOf(before.spec), fieldsOf(after.spec)];
  if (hasClusterIp(was) && hasClusterIp(is)) {
    for (const name of ['clusterIP', 'ipFamilies', 'ipFamilyPolicy'])
      if (was[name] !== undefined) is[name] ||= was[name];
    const untouched = equalJson(is.clusterIPs, was.clusterIPs) || is.clusterIPs === undefined;
    if (untouched) is.clusterIPs = is.clusterIP === was.clusterIP ? was.clusterIPs : [is.clusterIP];
  }
  const typeChanged = was.type !== is.type;
  if (!hasClusterIp(is) && typeChanged)
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) delete is[name];
  for (const port of itemsOf(is.ports)) keepNodePort(port, itemsOf(was.ports), needsNodePorts(is), typeChanged);
}

function needsNodePorts({ type }: Fields): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function keepNodePort(port: Fields, before: readonly Fields[], needed: boolean, typeChanged: boolean): void {
  const same = before.find((b) => b.port === port.port && b.protocol === port.protocol);
  if (needed && same?.nodePort !== undefined) port.nodePort ??= same.nodePort;
  if (!needed && typeChanged && port.nodePort === same?.nodePort) delete port.nodePort;
}
