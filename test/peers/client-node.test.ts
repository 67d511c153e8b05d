import { CoreV1Api, KubeConfig, type KubernetesObject, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import { afterEach, expect, it, vi } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { held, mixedOperations } from './mixed-operations.ts';

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of running.splice(0).reverse()) await part.stop();
});

const rowOf = ({ metadata }: KubernetesObject) =>
  `${metadata?.namespace}/${metadata?.name} ${metadata?.resourceVersion}`;

it('the informer of @kubernetes/client-node syncs, follows 1,000 mixed operations and ends equal to the store', async () => {
  const sandbox = await Sandbox.start({ seed: 1 });
  running.push(sandbox);
  const random = seededRandom(7);
  await mixedOperations(sandbox, random, 50);
  const config = new KubeConfig();
  config.loadFromString(sandbox.kubeconfig());
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer<V1ConfigMap>(config, '/api/v1/configmaps', () => api.listConfigMapForAllNamespaces());
  const seen = { add: 0, update: 0, delete: 0 };
  for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, () => void seen[verb]++);
  const broken: unknown[] = [];
  informer.on('error', (error) => broken.push(error));
  await informer.start();
  running.push(informer);
  expect(informer.list().map(rowOf).sort()).toEqual(held(sandbox));
  await vi.waitFor(() =>
    expect(sandbox.requests.matching('configmaps').some((r) => r.path.includes('watch=true'))).toBe(true),
  );
  const before = { ...seen };
  await mixedOperations(sandbox, random, 1_000);
  await vi.waitFor(() => expect(informer.list().map(rowOf).sort()).toEqual(held(sandbox)), 10_000);
  const followed = seen.add + seen.update + seen.delete - before.add - before.update - before.delete;
  expect([followed, broken]).toEqual([1_000, []]);
});
