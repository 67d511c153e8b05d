// An operator of PostgreSQL: for each PostgresCluster a StatefulSet, a Service and a Secret, its PostgresUsers in its
// status, and a last backup before it goes. Its two custom resources are schemas below. v1alpha1 of a PostgresCluster
// is converted by its webhook, which also refuses an older version of PostgreSQL.
//   node examples/postgres-operator.ts                            on a sandbox of its own, with a short demonstration
//   KUBECONFIG=~/.kube/config node examples/postgres-operator.ts     on a cluster, until Ctrl-C
//   node examples/postgres-operator-test.ts                       its tests, on a sandbox or the cluster of TEST_KUBECONFIG
import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import {
  type Client,
  controllerFor,
  createClient,
  createManager,
  createOrUpdate,
  type DeepReadonly,
  dynamicInformerFactory,
  fencedTransport,
  generationChanged,
  type KubeObject,
  loadConfig,
  ownerReference,
  parseGvr,
  retryOnConflict,
  serverSideApply,
  setCondition,
  setControllerReference,
  updateStatus,
} from 'kubectl-informer';
import { celRules, defineResource, listMap, objectOf, type ResourceObject } from 'kubectl-informer/crds';
import { eventually, startTestCluster } from 'kubectl-informer/testing';
import { createWebhookServer, deny, type WebhookServer } from 'kubectl-informer/webhooks';
import { z } from 'zod';

const group = 'pg.example.com';
const OPERATOR = { name: 'pg-operator', namespace: process.env.POD_NAMESPACE ?? 'pg-system' };
/** On a cluster that cannot reach a Service of this program, as on a laptop: its URL. */
const { WEBHOOK_URL: url } = process.env;
const place = (path: string) => (url ? { url: `${url}${path}` } : { service: { ...OPERATOR, path, port: 443 } });

const servers = z.int32().min(1).max(9).default(1).describe('The number of servers.');
const text = z.string();
const condition = z.object({
  ...{ type: text, status: z.enum(['True', 'False', 'Unknown']), reason: text, message: text },
  ...{ observedGeneration: z.int().optional(), lastTransitionTime: z.iso.datetime() },
});
const status = z.object({
  ready: z.int32().default(0),
  users: z.array(z.string()).optional(),
  conditions: z.array(condition).meta(listMap('type')).optional(),
});

export const CLUSTERS = defineResource({
  group,
  kind: 'PostgresCluster',
  shortNames: ['pgc'],
  versions: {
    v1: {
      storage: true,
      schema: z.object({
        spec: z.object({
          replicas: servers,
          version: z.enum(['16', '17', '18']).describe('The version of PostgreSQL.'),
        }),
        status: status.optional(),
      }),
      columns: [
        { name: 'Version', path: '.spec.version' },
        { name: 'Ready', path: '.status.ready' },
      ],
      scale: { spec: '.spec.replicas', status: '.status.ready' },
    },
    v1alpha1: {
      deprecated: 'pg.example.com/v1alpha1 PostgresCluster is deprecated: use v1',
      schema: z.object({
        spec: z.object({ size: servers, image: z.string().regex(/^postgres:\d+$/) }),
        status: status.optional(),
      }),
    },
  },
  conversion: place('/convert'),
});
export const USERS = defineResource({
  group,
  kind: 'PostgresUser',
  versions: {
    v1: {
      schema: z.object({
        spec: z
          .object({ cluster: z.string().min(1), superuser: z.boolean().default(false) })
          .meta(celRules({ rule: 'self.cluster == oldSelf.cluster', message: 'a user stays in its cluster' })),
      }),
    },
  },
});
export type PostgresCluster = ResourceObject<typeof CLUSTERS.versions.v1>;
type OldCluster = ResourceObject<typeof CLUSTERS.versions.v1alpha1>;

type StatefulSet = KubeObject & { spec?: { replicas?: number }; status?: { readyReplicas?: number } };
type WithData = KubeObject & { data?: Record<string, string> };
export const STATEFUL_SETS = parseGvr<StatefulSet>('apps/v1/statefulsets');
export const SERVICES = parseGvr('v1/services');
export const SECRETS = parseGvr<WithData>('v1/secrets');
export const BACKUPS = parseGvr<WithData>('v1/configmaps');
const clusters = CLUSTERS.versions.v1;
const users = USERS.versions.v1;
const applied = { fieldManager: OPERATOR.name, force: true };

/** The objects that a cluster needs before the operator runs. */
export const INSTALLED = [
  CLUSTERS.definition,
  USERS.definition,
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: OPERATOR.name },
    webhooks: [
      {
        name: `clusters.${group}`,
        clientConfig: place(`/validate/${group}/v1/postgresclusters`),
        rules: [{ apiGroups: [group], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['postgresclusters'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  },
];

/** The operator, and its webhooks. It works while it leads; a process that does not lead any more writes nothing. */
export async function createOperator(client: Client, port = 9443, election = {}) {
  const manager = createManager({ leaderElection: { client, ...OPERATOR, ...election } });
  const writer = createClient(fencedTransport(client.transport, () => manager.elector?.assertLeading()));
  const factory = dynamicInformerFactory(writer);
  const sets = factory.forResource(STATEFUL_SETS);
  const accounts = factory.forResource(users);
  accounts.informer.addIndexers({ cluster: ({ metadata, spec }) => [`${metadata.namespace}/${spec.cluster}`] });

  /** Brings the cluster to what one PostgresCluster asks for. It may run at any time, and again. */
  async function reconcile(cluster: DeepReadonly<PostgresCluster>, key: string): Promise<void> {
    const { name = '', namespace = '' } = cluster.metadata;
    const { replicas, version } = cluster.spec;
    const labels = { [group]: name };
    const place = { name, namespace };
    const secrets = writer.resource(SECRETS, { namespace });
    await createOrUpdate(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: place }, (secret) => {
      setControllerReference(cluster, secret);
      secret.data ??= { password: randomBytes(18).toString('base64') };
    });
    const owned = { metadata: { ...place, ownerReferences: [ownerReference(cluster, { controller: true })] } };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      ...owned,
      spec: { selector: labels, ports: [{ port: 5432 }] },
    };
    await serverSideApply(writer.resource(SERVICES, { namespace }), service, applied);
    const password = { name: 'POSTGRES_PASSWORD', valueFrom: { secretKeyRef: { name, key: 'password' } } };
    const containers = [{ name: 'postgres', image: `postgres:${version}`, env: [password] }];
    const template = { metadata: { labels }, spec: { containers } };
    const set = { replicas, serviceName: name, selector: { matchLabels: labels }, template };
    const own = { apiVersion: 'apps/v1', kind: 'StatefulSet', ...owned, spec: set };
    await serverSideApply(writer.resource(STATEFUL_SETS, { namespace }), own, applied);
    const ready = sets.lister.get(key)?.status?.readyReplicas ?? 0;
    const known = accounts.lister.byIndex('cluster', key).map(({ metadata }) => metadata.name ?? '');
    await updateStatus(writer.resource(clusters, { namespace }), cluster, (draft, observedGeneration = 0) => {
      const conditions = setCondition(draft.status?.conditions, {
        type: 'Ready',
        status: ready >= replicas ? 'True' : 'False',
        reason: ready >= replicas ? 'AllReady' : 'Waiting',
        message: `${ready} of ${replicas} servers are ready`,
        observedGeneration,
      });
      draft.status = { ready, users: known.sort(), conditions };
    });
  }

  /** The last backup of a cluster. A cleanup runs again if it was broken off: what it made is there already then. */
  async function backUp({ metadata: of, spec }: DeepReadonly<PostgresCluster>): Promise<void> {
    const { name = '', namespace = '', uid = '' } = of;
    const metadata = { name: `${name}-backup-${uid.slice(0, 8)}`, namespace };
    const backup = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { of: name, version: spec.version } };
    await serverSideApply(writer.resource(BACKUPS, { namespace }), backup, applied);
  }

  const controller = await controllerFor(factory, clusters, { predicate: generationChanged })
    .owns(STATEFUL_SETS)
    .owns(SERVICES)
    .owns(SECRETS)
    .watches(users, ({ metadata: { namespace }, spec }) => [{ namespace, name: spec.cluster }])
    .finalizer(`${group}/last-backup`, backUp)
    .reconcile((cluster, { key }) => retryOnConflict(() => reconcile(cluster, key)), { workers: 4 });

  const hooks = createWebhookServer({
    client,
    port,
    certificate: { secret: { namespace: OPERATOR.namespace, name: `${OPERATOR.name}-tls` } },
    hosts: [`${OPERATOR.name}.${OPERATOR.namespace}.svc`, ...(url ? [new URL(url).hostname] : [])],
    caBundles: { validating: [OPERATOR.name], definitions: [CLUSTERS.definition.metadata.name ?? ''] },
  });
  hooks.validate<PostgresCluster>(clusters, ({ object, oldObject }) => {
    const [before = '', after = ''] = [oldObject?.spec.version, object?.spec.version];
    return after < before ? deny(`PostgreSQL ${before} cannot become ${after}`) : undefined;
  });
  hooks.convert({ group, kind: CLUSTERS.kind }, (object, apiVersion) => {
    const { size, image } = object.spec as OldCluster['spec'];
    const { replicas, version } = object.spec as PostgresCluster['spec'];
    const spec = apiVersion.endsWith('/v1')
      ? { replicas: size, version: image.replace('postgres:', '') }
      : { size: replicas, image: `postgres:${version}` };
    return { ...object, apiVersion, spec };
  });
  manager.add(hooks, { group: 'server' });
  manager.add(factory);
  manager.add(controller);
  return { manager, hooks };
}

/** The operator on a sandbox: a cluster in the old version gets what it asks for. */
async function demonstrate(): Promise<void> {
  let hooks: WebhookServer | undefined;
  const resolveService = () => hooks?.address && `127.0.0.1:${hooks.address.port}`;
  await using test = await startTestCluster({ sandbox: { socket: false, resolveService } });
  await test.install({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPERATOR.namespace } }, ...INSTALLED);
  const operator = await createOperator(test.programClient(), 0);
  hooks = operator.hooks;
  const stop = new AbortController();
  const running = operator.manager.run(stop.signal);
  await eventually(() => operator.hooks.unready === undefined);
  const old = CLUSTERS.versions.v1alpha1;
  const shop = { metadata: { name: 'shop', namespace: 'default' }, spec: { size: 2, image: 'postgres:17' } };
  const created = objectOf(CLUSTERS, old, shop);
  await eventually(() => test.client.resource(old, { namespace: 'default' }).create(created)); // not at once converted
  const set = await eventually(() => test.sandbox?.get(STATEFUL_SETS, 'default/shop') as StatefulSet | undefined);
  console.log(`on ${test.name}: size 2 of v1alpha1 is a StatefulSet of ${set.spec?.replicas}`);
  stop.abort();
  await running;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (!process.env.KUBECONFIG) await demonstrate();
  else {
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    await using client = createClient(await loadConfig());
    const { manager } = await createOperator(client, Number(process.env.WEBHOOK_PORT ?? 9443));
    console.log('the operator runs');
    await manager.run(stop.signal);
  }
}
