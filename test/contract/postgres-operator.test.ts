import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import { isAlreadyExists } from '../../src/model/status.ts';
import { eventually, startTestCluster, type TestCluster } from '../../src/testing/index.ts';
import { PostgresReplicas } from '../support/postgres-replicas.ts';
import { Disturbance, PostgresTrial } from '../support/postgres-trial.ts';

// Two replicas of the example, which are killed and frozen at random, and see the server late, on the cluster of
// TEST_KUBECONFIG. It must be on this machine, because the webhooks are here, and needs a controller manager, which
// deletes the children of what goes. The replicas run the build. SEEDS=12,13 repeats some runs, ACTS=200 makes them
// longer, KEEP=DIR keeps what the replicas say.

const kubeconfig = process.env.TEST_KUBECONFIG;
const EXAMPLE = path.resolve(import.meta.dirname, '../../examples/postgres-operator.ts');
const seeds = (process.env.SEEDS ?? '7,12').split(',').map(Number);
const acts = Number(process.env.ACTS ?? 60);
const DISTURBANCES = 5;
const SHORT = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 400 };

describe.skipIf(!kubeconfig)('two replicas of the operator of PostgreSQL, killed, frozen and late', () => {
  it.each(seeds)(
    'make what was asked for, each child once, and one backup of each that went: seed %i',
    async (seed) => {
      const random = seededRandom(seed);
      const folder = process.env.KEEP
        ? path.join(process.env.KEEP, String(seed))
        : mkdtempSync(path.join(os.tmpdir(), 'pg-'));
      const election: Partial<typeof SHORT> = seed % 3 === 1 ? {} : SHORT;
      await using cluster = await startTestCluster({ kubeconfig });
      await using replicas = new PostgresReplicas(folder, election);
      await replicas.open(kubeconfig ?? '', cluster.name, Math.floor(random() * 400));
      process.env.WEBHOOK_URL = replicas.url; // for the import
      const { CLUSTERS, INSTALLED, USERS } = await import(`${EXAMPLE}?${seed}`);
      delete process.env.WEBHOOK_URL;
      await haveNamespace(cluster);
      await cluster.install(...INSTALLED);
      const { v1: clusters, v1alpha1: old } = CLUSTERS.versions;
      const types = { clusters, old, users: USERS.versions.v1 };
      const trial = new PostgresTrial(cluster, await cluster.namespace(), types, random);
      const [counting, disturbing] = [new AbortController(), new AbortController()];
      await trial.count(counting.signal);
      replicas.start();
      const startMs = await trial.begin();
      const disturbance = new Disturbance(replicas, seededRandom(seed + 1_000));
      const disturbed = disturbance.run(startMs + (election.leaseDurationMs ?? 15_000), disturbing.signal);
      try {
        for (let act = 0; act < acts || disturbance.done.length < DISTURBANCES; act++) await trial.act();
        disturbing.abort();
        await disturbed;
        writeFileSync(path.join(folder, 'disturbed.log'), [startMs, ...disturbance.done].join('\n'));
        const isExact = async () => JSON.stringify(await trial.state()) === JSON.stringify(trial.expected);
        await eventually(isExact, { timeoutMs: 90_000, everyMs: 500 }).catch(() => {});
        expect(await trial.state()).toEqual(trial.expected);
        expect(trial.doubled).toEqual([]);
      } finally {
        disturbing.abort();
        await disturbed;
        await trial.end();
        counting.abort();
        if (!process.env.KEEP) rmSync(folder, { recursive: true });
      }
    },
    900_000,
  );
});

/** The namespace of the operator stays: a cluster takes its time to delete one. */
async function haveNamespace({ client }: TestCluster): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'pg-system' } };
  const create = () => client.resource(parseGvr('v1/namespaces')).create(namespace);
  await create().catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
