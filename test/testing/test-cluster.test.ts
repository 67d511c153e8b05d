import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseGvr } from '../../src/model/gvr.ts';
import { isForbidden } from '../../src/model/status.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { eventually, startTestCluster } from '../../src/testing/index.ts';

const MAPS = parseGvr('v1/configmaps');
const SECRETS = parseGvr('v1/secrets');
const NAMESPACES = parseGvr('v1/namespaces');
const map = (name: string, namespace: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'test-cluster-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a cluster for tests', () => {
  it('is a sandbox, and says so', async () => {
    await using cluster = await startTestCluster({ kubeconfig: '' });
    expect([cluster.name, cluster.sandbox]).toEqual(['a sandbox', expect.any(Sandbox)]);
  });

  it('is the cluster of a kubeconfig, in which nothing is left that it created', async () => {
    await using other = await Sandbox.start();
    const kubeconfig = path.join(folder, 'config');
    writeFileSync(kubeconfig, other.kubeconfig());
    other.apply(map('old', 'default'));
    {
      await using cluster = await startTestCluster({ kubeconfig });
      expect([cluster.name, cluster.sandbox]).toEqual([other.url, undefined]);
      const namespace = await cluster.namespace();
      await cluster.install(map('new', 'default'), map('old', 'default'));
      expect(other.get(MAPS, 'default/new')).toBeDefined();
      expect(other.get(NAMESPACES, namespace)).toBeDefined();
    }
    expect(other.list(MAPS, { namespace: 'default' }).map(({ metadata }) => metadata.name)).toEqual(['old']);
    await eventually(() => !other.list(NAMESPACES).some(({ metadata }) => metadata.generateName === 'test-'));
  });

  it('serves the types of a definition when it is installed', async () => {
    await using cluster = await startTestCluster({ kubeconfig: '' });
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    await cluster.install({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [version],
      },
    });
    expect((await cluster.client.resource(parseGvr('example.com/v1/things')).list()).items).toEqual([]);
  });

  it('records what the program needs: any namespace for its own, names where they are fixed', async () => {
    const observe = path.join(folder, 'access.jsonl');
    await using cluster = await startTestCluster({ kubeconfig: '', observe });
    const namespace = await cluster.namespace();
    const program = cluster.programClient();
    await program
      .resource(SECRETS, { namespace: 'default' })
      .get('tls')
      .catch(() => {});
    await program
      .resource(SECRETS, { namespace })
      .get('child')
      .catch(() => {});
    await program.resource(MAPS, { namespace }).create(map('a', namespace));
    await cluster.client.resource(MAPS, { namespace }).get('a'); // not the program
    const lines = readFileSync(observe, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { verb: 'get', group: '', resource: 'secrets', namespace: 'default', name: 'tls' },
      { verb: 'get', group: '', resource: 'secrets' },
      { verb: 'create', group: '', resource: 'configmaps' },
    ]);
  });

  it('runs a program as a service account, which may do what its roles allow', async () => {
    await using cluster = await startTestCluster({ kubeconfig: '' });
    const program = cluster.programClient({ as: 'system:serviceaccount:default:a' });
    const error: unknown = await program
      .resource(MAPS, { namespace: 'default' })
      .list()
      .catch((e: unknown) => e);
    expect(isForbidden(error)).toBe(true);
  });
});
