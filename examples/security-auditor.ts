// A security auditor: one JSON line for each change of a role binding and of a Secret, with who wrote it (the field
// manager), and a Warning Event about each binding that gives everything away. No value of a Secret ever reaches this
// program, because it asks the server for the metadata of Secrets only.
//   node examples/security-auditor.ts                          on a sandbox of its own, with a short demonstration
//   KUBECONFIG=~/.kube/config node examples/security-auditor.ts    on a cluster, until Ctrl-C
import {
  createClient,
  createManager,
  type DeepReadonly,
  dynamicInformerFactory,
  EventRecorder,
  type InformerHandle,
  type KubeObject,
  loadConfig,
  parseGvr,
} from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';
import { eventually } from 'kubectl-informer/testing';

interface Binding extends KubeObject {
  roleRef: { kind: string; name: string };
  subjects?: { kind: string; name: string; namespace?: string }[];
}
type Seen = DeepReadonly<KubeObject>;

const SECRETS = parseGvr('v1/secrets');
const BINDINGS = ['rolebindings', 'clusterrolebindings'].map((type) =>
  parseGvr(`rbac.authorization.k8s.io/v1/${type}`),
);

const sandbox = process.env.KUBECONFIG ? undefined : await Sandbox.start({ socket: false });
const client = createClient(sandbox ? sandbox.transport() : await loadConfig());
const whole = dynamicInformerFactory(client);
const metadataOnly = dynamicInformerFactory(client, { metadataOnly: true });
const recorder = new EventRecorder(client, { component: 'security-auditor' });

let reported = 0;

/** Reports the changes of a type after the initial list. `contentOf` gives what to show of an object. */
function audit<T extends KubeObject>(
  kind: string,
  { informer }: InformerHandle<T>,
  contentOf: (object: DeepReadonly<T>) => object,
) {
  const report = (what: string, key: string, details: object) => {
    reported++;
    console.log(JSON.stringify({ what, kind, key, ...details }));
  };
  informer.addHandler({
    added: (object, { key, cause }) => {
      if (cause !== 'initial') report('created', key, { by: writersOf(object), ...contentOf(object) });
    },
    updated: (before, after, { key }) => {
      if (before.metadata.resourceVersion === after.metadata.resourceVersion) return; // nothing changed
      report('changed', key, { by: writersOf(after, before), ...contentOf(after) });
    },
    // The API does not say who deletes an object; the audit log of the server does.
    deleted: (object, { key }) => report('deleted', key, object ? contentOf(object) : {}),
  });
}

/**
 * The field managers that have written an object since it was `before`: those with an entry that is new or has a new
 * time. Times have whole seconds, so if there is none, the last writers wrote again within a second.
 */
function writersOf({ metadata: { managedFields = [] } }: Seen, before?: Seen): string[] {
  const entryOf = ({ manager, operation, subresource, time }: (typeof managedFields)[number]) =>
    JSON.stringify([manager, operation, subresource, time]);
  const known = new Set(before?.metadata.managedFields?.map(entryOf));
  const written = managedFields.filter((entry) => !known.has(entryOf(entry)));
  const newest = managedFields
    .map(({ time = '' }) => time)
    .sort()
    .at(-1);
  const entries = written.length > 0 ? written : managedFields.filter(({ time }) => time === newest);
  return [...new Set(entries.map(({ manager = 'unknown' }) => manager))];
}

/** The names of the keys of a Secret. managedFields have them without the values. */
function keysOf(secret: Seen): string[] {
  const fields = (secret.metadata.managedFields ?? []).flatMap(({ fieldsV1 }) =>
    Object.keys((fieldsV1?.['f:data'] as object | undefined) ?? {}),
  );
  return [...new Set(fields.filter((field) => field.startsWith('f:')).map((field) => field.slice(2)))].sort();
}

const EVERYONE = ['system:anonymous', 'system:unauthenticated', 'system:authenticated'];

/** What is wrong with a binding; undefined if nothing is. */
function dangerOf({ roleRef, subjects = [] }: DeepReadonly<Binding>): string | undefined {
  if (roleRef.name === 'cluster-admin') return `${subjects.map(({ name }) => name).join(', ')} may do everything`;
  const everyone = subjects.find(({ name }) => EVERYONE.includes(name));
  return everyone && `everyone in ${everyone.name} has the role ${roleRef.name}`;
}

audit('Secret', metadataOnly.forResource(SECRETS), (secret) => ({ keys: keysOf(secret) }));
for (const gvr of BINDINGS) {
  const bindings = whole.forResource<Binding>(gvr);
  audit(gvr.resource === 'rolebindings' ? 'RoleBinding' : 'ClusterRoleBinding', bindings, (binding) => ({
    role: binding.roleRef.name,
    subjects: (binding.subjects ?? []).map(({ kind, name }) => `${kind} ${name}`),
    danger: dangerOf(binding),
  }));
  const warn = (binding: DeepReadonly<Binding>) => {
    const danger = dangerOf(binding);
    if (danger) recorder.event(binding, 'Warning', 'DangerousBinding', danger);
  };
  bindings.informer.addHandler({
    added: (binding, { cause }) => {
      if (cause !== 'initial') warn(binding);
    },
    updated: (_, binding) => warn(binding),
  });
}

const manager = createManager();
for (const factory of [whole, metadataOnly]) manager.add(factory);
manager.add(recorder); // it ends last, so the last Events are written, too
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const running = manager.run(stop.signal);
await whole.waitForSync(stop.signal);
await metadataOnly.waitForSync(stop.signal);
console.log('{"what":"watching"}');

if (sandbox) {
  const metadata = { name: 'database', namespace: 'default' };
  const secrets = client.resource(SECRETS, { namespace: 'default' });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'hunter2' } };
  await secrets.create(secret, { fieldManager: 'deploy-pipeline' });
  await secrets.patch('database', { stringData: { password: 'hunter3' } }, { type: 'merge', fieldManager: 'mallory' });
  await client.resource(parseGvr('rbac.authorization.k8s.io/v1/clusterrolebindings')).create(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'temporary' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }],
    },
    { fieldManager: 'kubectl-create' },
  );
  await secrets.delete('database');
  await eventually(() => reported === 4);
  stop.abort();
}
await running;
await client.close();
await sandbox?.stop();
