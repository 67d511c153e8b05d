import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { loadConfig } from '../../src/client/kubeconfig.ts';
import { isConditionTrue } from '../../src/controller/writes/conditions.ts';
import { jsonText } from '../../src/kit/exact-json.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { isNotFound } from '../../src/model/status.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli } from '../support/cli.ts';

const OPERATOR = path.resolve(import.meta.dirname, '../../examples/myservice-operator.ts');
const MY_SERVICES = parseGvr('example.com/v1/myservices');
const DEPLOYMENTS = parseGvr('apps/v1/deployments');
const SERVICES = parseGvr('v1/services');
const CONFIG_MAPS = parseGvr('v1/configmaps');
const EVENTS = parseGvr('v1/events');
const PODS = parseGvr('v1/pods');
const NAMESPACES = parseGvr('v1/namespaces');

interface Place extends AsyncDisposable {
  /** The path of a kubeconfig. */
  readonly kubeconfig: string;
}

async function onSandbox(): Promise<Place> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'operator-'));
  const sandbox = await Sandbox.start();
  const kubeconfig = path.join(folder, 'config');
  writeFileSync(kubeconfig, sandbox.kubeconfig());
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await sandbox.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

const PLACES: [string, () => Promise<Place>][] = [['the sandbox over TLS', onSandbox]];
const kubeconfig = process.env.TEST_KUBECONFIG;
if (kubeconfig)
  PLACES.push(['the cluster of TEST_KUBECONFIG', async () => ({ kubeconfig, async [Symbol.asyncDispose]() {} })]);

describe.each(PLACES)('the example of a MyService operator on %s', (_, open) => {
  const namespace = `operator-${process.pid}`;
  let place: Place;
  let client: Client;
  let operator: Cli;

  const of = (gvr: typeof DEPLOYMENTS) => client.resource(gvr, { namespace });
  const read = (gvr: typeof DEPLOYMENTS, name = 'shop'): Promise<UnknownObject | undefined> =>
    of(gvr)
      .get(name)
      .catch((error) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
  const soon = (check: () => Promise<boolean>) => eventually(check, { timeoutMs: 20_000, everyMs: 50 });
  const statusOf = async () => ((await read(MY_SERVICES))?.status ?? {}) as Record<string, unknown>;
  const directory = async () => {
    const found = (await client.resource(CONFIG_MAPS, { namespace: 'default' }).get('myservice-directory')) as unknown;
    return (found as { data?: Record<string, string> }).data ?? {};
  };

  /** As a kubelet does, where a controller makes pods; as that controller does, where there is none. */
  const makeAvailable = async () => {
    const { items } = await of(PODS).list();
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString().replace(/\.\d+/, '') };
    const ofPod = { status: { phase: 'Running', conditions: [ready] } };
    const ofDeployment = { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2 } };
    const asStatus = { type: 'merge', subresource: 'status' } as const;
    if (items.length === 0) await of(DEPLOYMENTS).patch('shop', ofDeployment, asStatus);
    for (const { metadata, status } of items)
      if (!jsonText(status ?? {}).includes('Running')) await of(PODS).patch(metadata.name ?? '', ofPod, asStatus);
  };

  beforeAll(async () => {
    place = await open();
    client = createClient(await loadConfig({ kubeconfig: place.kubeconfig }));
    await client.resource(NAMESPACES).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    operator = new Cli([], { script: OPERATOR, env: { KUBECONFIG: place.kubeconfig } });
    await operator.until(({ stdout }) => stdout.includes('the operator runs'), 'its start');
  }, 30_000);

  afterAll(async () => {
    operator?.kill('SIGTERM');
    const ended = await operator?.ended();
    await client?.resource(NAMESPACES).delete(namespace);
    await client?.close();
    await place?.[Symbol.asyncDispose]();
    // A real server answers so for a second after a definition is installed.
    const lines = (ended?.stderr ?? '').split('\n').filter((line) => !line.includes('storage is (re)initializing'));
    expect([ended?.code, lines.join('\n')]).toEqual([0, '']);
  }, 60_000);

  it('makes a Deployment and a Service that the MyService owns, reports in its status, and writes each once', async () => {
    const spec = { image: 'nginx:1.27', port: 8080, replicas: 2 };
    const metadata = { name: 'shop', namespace };
    await of(MY_SERVICES).create({ apiVersion: 'example.com/v1', kind: 'MyService', metadata, spec });
    await soon(async () => (await statusOf()).conditions !== undefined);
    const app = await read(MY_SERVICES);
    const owner = { apiVersion: 'example.com/v1', kind: 'MyService', name: 'shop', uid: app?.metadata.uid };
    const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
    expect(app?.metadata.finalizers).toEqual(['example.com/directory']);
    expect(app?.status).toMatchObject({
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'False', reason: 'Waiting', observedGeneration: 1 }],
    });
    expect(await read(DEPLOYMENTS)).toMatchObject({
      metadata: { ownerReferences },
      spec: {
        replicas: 2,
        template: { spec: { containers: [{ image: 'nginx:1.27', ports: [{ containerPort: 8080 }] }] } },
      },
    });
    expect(await read(SERVICES)).toMatchObject({ metadata: { ownerReferences }, spec: { ports: [{ port: 8080 }] } });
    expect(await directory()).toMatchObject({ [`${namespace}.shop`]: `shop.${namespace}.svc:8080` });
    const { items } = await of(EVENTS).list({ fieldSelector: 'reason=Deployed' });
    expect(items).toMatchObject([
      { message: 'deployment shop was created', count: 1, source: { component: 'myservice-operator' } },
    ]);
  });

  it('follows the Deployment with its status, and writes nothing to it meanwhile', async () => {
    const before = await read(DEPLOYMENTS);
    await soon(async () => {
      await makeAvailable();
      return isConditionTrue((await statusOf()).conditions as { type: string; status: string }[], 'Ready');
    });
    expect(await statusOf()).toMatchObject({ availableReplicas: 2 });
    const after = await read(DEPLOYMENTS);
    expect([after?.metadata.generation, after?.spec]).toEqual([before?.metadata.generation, before?.spec]);
  });

  it('repairs what others change and delete, and carries out a change of the MyService', async () => {
    await of(DEPLOYMENTS).patch('shop', { spec: { replicas: 7 } }, { type: 'merge' });
    await soon(async () => (await read(DEPLOYMENTS))?.spec !== undefined && replicas(await read(DEPLOYMENTS)) === 2);
    await of(SERVICES).delete('shop');
    await soon(async () => (await read(SERVICES)) !== undefined);
    await of(MY_SERVICES).patch('shop', { spec: { replicas: 3 } }, { type: 'merge' });
    await soon(async () => replicas(await read(DEPLOYMENTS)) === 3 && (await statusOf()).observedGeneration === 2);
  });

  it('cleans up its entry before a MyService is gone', async () => {
    await of(MY_SERVICES).delete('shop');
    await soon(async () => (await read(MY_SERVICES)) === undefined);
    expect(await directory()).not.toHaveProperty([`${namespace}.shop`]);
  });
});

const replicas = (deployment: UnknownObject | undefined) =>
  (deployment?.spec as { replicas: number } | undefined)?.replicas;
