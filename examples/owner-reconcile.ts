// A controller: every Deployment of several replicas owns a PodDisruptionBudget. The controller creates a missing or
// deleted one, and repairs a changed one. When the owner is deleted, the server's garbage collector deletes the budget.
//   node examples/owner-reconcile.ts
import {
  createClient,
  createController,
  createInformerSource,
  createOrUpdate,
  dynamicInformerFactory,
  enqueueOwner,
  generationChanged,
  type KubeObject,
  parseGvr,
  type ReconcileRequest,
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

const DEPLOYMENTS = parseGvr('apps/v1/deployments');
const BUDGETS = parseGvr('policy/v1/poddisruptionbudgets');

const sandbox = await Sandbox.start({ socket: false });
const client = createClient(sandbox.transport());
const factory = dynamicInformerFactory(client);
const deployments = factory.forResource<Deployment>(DEPLOYMENTS);
const budgets = factory.forResource<PodDisruptionBudget>(BUDGETS);

/**
 * Brings the budget of one Deployment to what it should be. Runs for a key, not for an event: it looks at what is there
 * now.
 */
async function reconcile({ key, namespace, name, causes }: ReconcileRequest) {
  const deployment = deployments.lister.get(key);
  const replicas = deployment?.spec.replicas ?? 1;
  if (!deployment || replicas < 2) return;
  const named: PodDisruptionBudget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
  };
  const result = await createOrUpdate(client.resource<PodDisruptionBudget>(BUDGETS, { namespace }), named, (budget) => {
    setControllerReference(deployment, budget);
    budget.spec = { ...budget.spec, minAvailable: replicas - 1, selector: deployment.spec.selector };
  });
  console.log(`${key}: ${result} (${causes.map(({ source, reason }) => `${source} ${reason}`).join(', ')})`);
}

const controller = createController({
  name: 'budgets',
  reconcile,
  sources: [
    createInformerSource(deployments.informer, { name: 'deployment', isPrimary: true, predicate: generationChanged }),
    createInformerSource(budgets.informer, {
      name: 'budget',
      enqueue: enqueueOwner({ group: 'apps', kind: 'Deployment' }),
    }),
  ],
});

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
