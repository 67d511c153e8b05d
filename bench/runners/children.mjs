// A controller of the library that makes one child for each run in which its cache has too few of them, as
// peers/controller-runtime does. LIBRARY CONSISTENCY CHILDREN: the second is `own writes` or `none`. The server is that of
// KUBECONFIG. It prints `ready` once its caches have synced.
import { pathToFileURL } from 'node:url';

const [library, consistency, wanted] = process.argv.slice(2);
const { controllerFor, createClient, createManager, dynamicInformerFactory, loadConfig, setControllerReference } =
  await import(pathToFileURL(library).href);

const MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const client = createClient(await loadConfig());
const factory = dynamicInformerFactory(client);
const { lister } = factory.forResource(MAPS);
const controller = await controllerFor(factory, 'ServiceAccount')
  .owns('ConfigMap')
  .reconcile(
    async (parent, { namespace, name }) => {
      if (name !== 'parent') return {};
      const isChild = (each) => each.metadata.ownerReferences?.some(({ uid }) => uid === parent.metadata.uid);
      if (lister.list({ namespace }).filter(isChild).length >= Number(wanted)) return {};
      const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'child-', namespace } };
      setControllerReference({ ...parent, apiVersion: 'v1', kind: 'ServiceAccount' }, child);
      await client.resource(MAPS, { namespace }).create(child);
      return { requeueAfterMs: 4 };
    },
    { consistency, hotLoopRuns: 0 },
  );
const manager = createManager();
manager.add(factory);
manager.add(controller);
void controller.whenSynced(stop.signal).then(() => console.log('ready'));
await manager.run(stop.signal);
await client.close();
