import type { UnknownObject } from '../../model/object.ts';
import type { ResourceCall } from '../api/call.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { find } from '../read/get.ts';
import { required, unsupportedValue } from '../status/field-problems.ts';
import { badRequest, conflict, type FieldProblem, invalid } from '../status/statuses.ts';
import { copy } from '../types/copy.ts';
import { decodeObject } from './decode.ts';
import { withCondition } from './deleter.ts';
import type { Writer } from './writer.ts';

/**
 * Assigns a pod to the node of a Binding, as a scheduler does. Throws 409 for a pod that has a node already or is being
 * deleted.
 * Source: kubernetes/pkg/registry/core/pod/storage BindingREST.
 */
export function bind(
  cluster: Cluster,
  writer: Writer,
  call: ResourceCall,
  { dryRun }: { dryRun?: boolean | undefined },
): void {
  const { type, name = '' } = call;
  const binding = readBinding(cluster, call);
  const { object: pod } = find(cluster, call);
  const { uid, deletionTimestamp, managedFields = [] } = pod.metadata;
  const { nodeName } = (pod.spec ?? {}) as { nodeName?: string };
  const asked = binding.metadata.uid;
  const refuse = (why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why);
  if (asked && asked !== uid) refuse(`Precondition failed: UID in precondition: ${asked}, UID in object meta: ${uid}`);
  if (deletionTimestamp) refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (nodeName) refuse(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);
  const bound = copy(pod);
  bound.spec = { ...(bound.spec as object), nodeName: binding.target.name };
  bound.status = withCondition(
    bound.status,
    { type: 'PodScheduled', status: 'True', lastProbeTime: null },
    timestamp(cluster.clock.now()),
  );
  const options = { manager: 'kube-scheduler', managedFields, dryRun };
  writer.update(type, bound, { ...options, subresource: 'binding' });
}

function readBinding(
  { types }: Cluster,
  call: ResourceCall,
): UnknownObject & { readonly target: { readonly name: string } } {
  const type = types.find({ group: '', version: 'v1', resource: 'bindings' });
  const binding = decodeObject(call, type ?? call.type);
  const { kind = '', name = '' } = (binding.target ?? {}) as { kind?: string; name?: string };
  if (binding.metadata.name && binding.metadata.name !== call.name)
    badRequest('name in URL does not match name in Binding object');
  const problems: FieldProblem[] = [];
  if (kind !== '' && kind !== 'Node') problems.push(unsupportedValue('target.kind', kind, ['Node', '<empty>']));
  if (name === '') problems.push(required('target.name'));
  if (problems.length > 0) invalid({ group: '', kind: 'Binding' }, call.name ?? '', problems);
  return { ...binding, target: { name } };
}
