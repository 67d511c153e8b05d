// A controller: every Deployment of several replicas owns a PodDisruptionBudget. The controller creates a missing or
// deleted one, and repairs a changed one. When the owner is deleted, the server's garbage collector deletes the budget.
//   node examples/owner-reconcile.ts
import {
  controllerFor,
  createClient,
  createOrUpdate,
  dynamicInformerFactory,
  generationChanged,
  type KubeObject,
  parseGvr,
  setControllerReference,
} from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';
import { eventually } from 'kubectl-informer/testing';

interface Deployment extends KubeObject {
  spec: { replicas?: number; selector: { matchLabels?: Record<string, string> } };
}

interface PodDisruptionBudget extends KubeObject {
  spec?: { minAvailable?: number; selector?: object };
}

const DEPLOYMENTS = parseGvr<Deployment>('apps/v1/deployments');
const BUDGETS = parseGvr<PodDisruptionBudget>('policy/v1/poddisruptionbudgets');

const sandbox = await Sandbox.start({ socket: false });
const client = createClient(sandbox.transport());
const factory = dynamicInformerFactory(client);

// A run is for a key, not for an event: it looks at what is there now.
const controller = await controllerFor(factory, DEPLOYMENTS, { name: 'deployment', predicate: generationChanged })
  .owns(BUDGETS, { name: 'budget' })
  .reconcile(
    async (deployment, { key, namespace, name, causes }) => {
      const { replicas = 1, selector } = deployment.spec;
      if (replicas < 2) return;
      const named = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name, namespace } };
      const result = await createOrUpdate(client.resource(BUDGETS, { namespace }), named, (budget) => {
        setControllerReference(deployment, budget);
        budget.spec = { ...budget.spec, minAvailable: replicas - 1, selector };
      });
      console.log(`${key}: ${result} (${causes.map(({ source, reason }) => `${source} ${reason}`).join(', ')})`);
    },
    { name: 'budgets' },
  );

const stop = new AbortController();
const running = controller.run(stop.signal);
factory.start(stop.signal);
await controller.whenSynced();

const budget = () => sandbox.get(BUDGETS, 'default/web') as PodDisruptionBudget | undefined;
const mended = () => eventually(() => budget()?.spec?.minAvailable === 2);
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
const spec = { replicas: 3, selector: { matchLabels: labels }, template };
sandbox.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
await mended();
await client.resource(BUDGETS, { namespace: 'default' }).patch('web', { spec: { minAvailable: 0 } }, { type: 'merge' });
await mended();
sandbox.delete(BUDGETS, 'default/web');
await mended();
console.log('in the end: at least', budget()?.spec?.minAvailable, 'available');

stop.abort();
await running;
await factory.shutdown();
await sandbox.stop();
