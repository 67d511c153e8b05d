import { ageOf, type FieldMap, fieldsAt, listAt, nameOf, numberAt, since, textAt } from './field-access.ts';

type Cells = (object: FieldMap, now: number) => unknown[];

/**
 * Cells of nodes, namespaces, events, configuration and access rules. Source: kubernetes/pkg/printers/internalversion.
 */
export const CLUSTER_CELLS: Readonly<Record<string, Cells>> = {
  nodes: (node, now) => {
    const info = fieldsAt(node, 'status', 'nodeInfo');
    return [
      nameOf(node),
      nodeStatus(node),
      nodeRoles(node),
      ageOf(node, now),
      textAt(info, 'kubeletVersion'),
      nodeAddress(node, 'InternalIP'),
      nodeAddress(node, 'ExternalIP'),
      textAt(info, 'osImage', '<unknown>'),
      textAt(info, 'kernelVersion', '<unknown>'),
      textAt(info, 'containerRuntimeVersion', '<unknown>'),
    ];
  },
  namespaces: (namespace, now) => [
    nameOf(namespace),
    textAt(fieldsAt(namespace, 'status'), 'phase'),
    ageOf(namespace, now),
  ],
  events: eventCells,
  configmaps: (map, now) => [nameOf(map), countOf(map.data) + countOf(map.binaryData), ageOf(map, now)],
  secrets: (secret, now) => [nameOf(secret), textAt(secret, 'type'), countOf(secret.data), ageOf(secret, now)],
  serviceaccounts: (account, now) => [nameOf(account), ageOf(account, now)],
  'leases.coordination.k8s.io': (lease, now) => [
    nameOf(lease),
    textAt(fieldsAt(lease, 'spec'), 'holderIdentity'),
    ageOf(lease, now),
  ],
  'rolebindings.rbac.authorization.k8s.io': bindingCells,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingCells,
  'poddisruptionbudgets.policy': (budget, now) => {
    const spec = fieldsAt(budget, 'spec');
    const allowed = numberAt(fieldsAt(budget, 'status'), 'disruptionsAllowed');
    return [
      nameOf(budget),
      textAt(spec, 'minAvailable', 'N/A'),
      textAt(spec, 'maxUnavailable', 'N/A'),
      allowed,
      ageOf(budget, now),
    ];
  },
};

function countOf(map: unknown): number {
  return typeof map === 'object' && map !== null ? Object.keys(map).length : 0;
}

function nodeStatus(node: FieldMap): string {
  const ready = listAt(fieldsAt(node, 'status'), 'conditions').find((c) => c.type === 'Ready');
  const state = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return fieldsAt(node, 'spec').unschedulable === true ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function nodeRoles(node: FieldMap): string {
  const labels = Object.entries(fieldsAt(node, 'metadata', 'labels'));
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) return [key.slice(ROLE_PREFIX.length)];
    return key === 'kubernetes.io/role' && value ? [String(value)] : [];
  });
  return [...new Set(roles)].sort().join(',') || '<none>';
}

function nodeAddress(node: FieldMap, type: string): string {
  const found = listAt(fieldsAt(node, 'status'), 'addresses').find((a) => a.type === type);
  return textAt(found ?? {}, 'address', '<none>');
}

function eventCells(event: FieldMap, now: number): unknown[] {
  const first = since(event.firstTimestamp ?? event.eventTime, now);
  const series = fieldsAt(event, 'series');
  const repeated = Object.keys(series).length > 0;
  const last = repeated
    ? since(series.lastObservedTime, now)
    : event.lastTimestamp
      ? since(event.lastTimestamp, now)
      : first;
  const about = fieldsAt(event, 'involvedObject');
  return [
    last,
    textAt(event, 'type'),
    textAt(event, 'reason'),
    [textAt(about, 'kind').toLowerCase(), textAt(about, 'name')].filter((part) => part !== '').join('/'),
    textAt(about, 'fieldPath'),
    sourceOf(event),
    textAt(event, 'message').trim(),
    first,
    repeated ? numberAt(series, 'count') : numberAt(event, 'count') || 1,
    nameOf(event),
  ];
}

function sourceOf(event: FieldMap): string {
  const source = fieldsAt(event, 'source');
  const component = textAt(source, 'component', textAt(event, 'reportingComponent'));
  const host = textAt(source, 'host', textAt(source, 'component') === '' ? textAt(event, 'reportingInstance') : '');
  return host === '' ? component : `${component}, ${host}`;
}

function bindingCells(binding: FieldMap, now: number): unknown[] {
  const role = fieldsAt(binding, 'roleRef');
  const subjects = (kind: string) => listAt(binding, 'subjects').filter((s) => s.kind === kind);
  const names = (kind: string) =>
    subjects(kind)
      .map((s) => textAt(s, 'name'))
      .join(', ');
  const accounts = subjects('ServiceAccount').map((s) => `${textAt(s, 'namespace')}/${textAt(s, 'name')}`);
  return [
    nameOf(binding),
    `${textAt(role, 'kind')}/${textAt(role, 'name')}`,
    ageOf(binding, now),
    names('User'),
    names('Group'),
    accounts.join(', '),
  ];
}
