// A custom resource with an interface that you write. No code is generated, and the compiler treats objects from the
// cache as read-only.
//   node examples/crd-typed.ts
import { createClient, dynamicInformerFactory, type KubeObject, parseGvr } from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';

interface Backup extends KubeObject {
  spec: { schedule: string; keep?: number }; // the server fills in `keep`, so a creation may leave it out
  status?: { lastRun?: string };
}

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['schedule'],
      properties: { schedule: { type: 'string' }, keep: { type: 'integer', default: 7 } },
    },
    status: { type: 'object', properties: { lastRun: { type: 'string', format: 'date-time' } } },
  },
};
const BACKUPS = parseGvr('example.com/v1/backups');

const sandbox = await Sandbox.start({ socket: false });
sandbox.apply({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'backups.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'backups', singular: 'backup', kind: 'Backup' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
    ],
  },
});

const client = createClient(sandbox.transport());
const backups = client.resource<Backup>(BACKUPS, { namespace: 'default' });

const factory = dynamicInformerFactory(client);
const { informer, lister } = factory.forResource<Backup>(BACKUPS);
const stop = new AbortController();
informer.addHandler({
  added: (backup, { key }) => console.log('added', key, backup.spec.schedule, `keeps ${backup.spec.keep}`),
  updated: (before, after, { key }) => {
    console.log('updated', key, before.status?.lastRun ?? 'never run', '→', after.status?.lastRun ?? 'never run');
    stop.abort();
  },
});
factory.start(stop.signal);
await factory.waitForSync();

// The server fills in the default and refuses what the schema does not allow.
await backups.create({
  apiVersion: 'example.com/v1',
  kind: 'Backup',
  metadata: { name: 'nightly' },
  spec: { schedule: '0 3 * * *' },
});
await client
  .resource(BACKUPS, { namespace: 'default' }) // without a type: the compiler would refuse this object, too
  .create({ apiVersion: 'example.com/v1', kind: 'Backup', metadata: { name: 'broken' }, spec: { keep: 'all' } })
  .catch((error: Error) => console.log('refused:', error.message));
await backups.patch(
  'nightly',
  { status: { lastRun: '2026-01-01T03:00:00Z' } },
  { type: 'merge', subresource: 'status' },
);

await factory.shutdown();
console.log('in the cache:', lister.get('default/nightly')?.status);
await sandbox.stop();
