import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Cluster } from './cluster-rows.ts';
import { ReplayServer, type WatchPlan } from './replay.ts';

/** A replay server over TLS, as clusters are, with a kubeconfig. Its lists are compressed before they are asked for. */
export async function ownCluster(
  pods: number,
  { plan = { kind: 'quiet' } }: { plan?: WatchPlan } = {},
): Promise<Cluster & AsyncDisposable & { change(perSecond: number): void }> {
  const server = await ReplayServer.start({ objects: pods, tls: true });
  await server.plan(plan);
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-cluster-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(server)));
  return {
    kubeconfig,
    pods,
    /** Changes objects until it is closed. */
    change: (perSecond) => void server.storm({ perSecond, seconds: 3600 }).catch(() => {}),
    async [Symbol.asyncDispose]() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function kubeconfigOf({ url, ca = '' }: ReplayServer): object {
  const data = Buffer.from(ca).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [{ name: 'bench', cluster: { server: url, 'certificate-authority-data': data } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    users: [{ name: 'bench', user: { token: 'bench' } }],
  };
}
