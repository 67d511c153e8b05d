import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { makeCertificate, Sandbox } from '../../src/sandbox/index.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli } from '../support/cli.ts';

// What the longer examples do to a server. That they run by themselves is in examples.test.ts; the MyService operator
// is in test/contract.

const EXAMPLES = path.resolve(import.meta.dirname, '../../examples');
const RBAC = 'rbac.authorization.k8s.io';
const soon = (check: () => boolean | Promise<boolean>) => eventually(check, { timeoutMs: 15_000, everyMs: 20 });
const inShop = (name: string, more: object = {}) => ({ name, namespace: 'shop', ...more });

let sandbox: Sandbox;
let client: Client;
let folder: string;

beforeEach(async () => {
  sandbox = await Sandbox.start();
  client = createClient(createConfig({ server: sandbox.url, token: sandbox.token, tls: { ca: sandbox.caPem } }));
  sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  folder = mkdtempSync(path.join(os.tmpdir(), 'examples-'));
  writeFileSync(path.join(folder, 'config'), sandbox.kubeconfig());
});
afterEach(async () => {
  await client.close();
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

/** The example as a process that works on the sandbox. */
async function running(file: string, started: string, env: NodeJS.ProcessEnv = {}): Promise<Cli> {
  const script = path.join(EXAMPLES, file);
  const cli = new Cli([], { script, env: { KUBECONFIG: path.join(folder, 'config'), ...env } });
  await cli.until(({ stdout }) => stdout.includes(started), started);
  return cli;
}

async function stopped(cli: Cli): Promise<void> {
  cli.kill('SIGTERM');
  expect(await cli.ended()).toMatchObject({ code: 0, stderr: '' });
}

describe('the example of a Deployment controller', () => {
  const DEPLOYMENTS = parseGvr('mini.example.com/v1/deployments');
  const REPLICA_SETS = parseGvr('mini.example.com/v1/replicasets');
  const PODS = parseGvr('v1/pods');
  type Set = UnknownObject & { spec: { replicas: number } };
  type Pod = UnknownObject & { spec: { containers: { image: string }[] } };

  const pods = () => sandbox.list(PODS, { namespace: 'shop' }) as unknown as Pod[];
  const images = () => pods().map(({ spec }) => spec.containers[0]?.image);
  const status = () =>
    (sandbox.get(DEPLOYMENTS, 'shop/web') as unknown as { status?: { readyReplicas: number } } | undefined)?.status;
  const template = (image: string) => ({
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image }] },
  });
  const ready = async ({ metadata: { name = '' } }: Pod) => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const resource = client.resource(PODS, { namespace: 'shop' });
    await resource.patch(name, { status: { conditions } }, { type: 'merge', subresource: 'status' });
  };
  const change = (spec: object) =>
    client.resource(DEPLOYMENTS, { namespace: 'shop' }).patch('web', { spec }, { type: 'merge' });

  it('makes a set and its pods, replaces one pod after the other, scales, and repairs', async () => {
    await using cli = await running('mini-deployment.ts', 'the controllers run');
    const { apiVersion, kind } = { apiVersion: 'mini.example.com/v1', kind: 'Deployment' };
    const spec = { replicas: 3, template: template('app:1') };
    await client.resource(DEPLOYMENTS).create({ apiVersion, kind, metadata: inShop('web'), spec });
    await soon(() => pods().length === 3);
    const [set] = sandbox.list(REPLICA_SETS);
    expect(set?.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name: 'web', controller: true }]);
    for (const pod of pods())
      expect(pod.metadata.ownerReferences).toMatchObject([{ kind: 'ReplicaSet', name: set?.metadata.name }]);
    for (const pod of pods()) await ready(pod);
    await soon(() => status()?.readyReplicas === 3);
    expect(status()).toEqual({ replicas: 3, readyReplicas: 3, updatedReplicas: 3 });

    await change({ template: template('app:2') });
    const podsWith = (image: string) => pods().filter(({ spec }) => spec.containers[0]?.image === image);
    for (const step of [1, 2, 3]) {
      // one pod more than wanted; an old one goes only when the new one is ready
      await soon(() => podsWith('app:2').length === step && podsWith('app:1').length === 4 - step);
      for (const pod of podsWith('app:2')) await ready(pod);
    }
    await soon(() => images().join() === 'app:2,app:2,app:2');
    await soon(() => sandbox.list(REPLICA_SETS).length === 1); // the old set is gone, too

    await change({ replicas: 1 });
    await soon(() => pods().length === 1);
    sandbox.delete(PODS, `shop/${pods()[0]?.metadata.name}`);
    await soon(() => pods().length === 1 && (sandbox.list(REPLICA_SETS)[0] as unknown as Set).spec.replicas === 1);
    await stopped(cli);
  });
});

describe('the example of a security auditor', () => {
  it('reports changes of Secrets and bindings with their writer, warns of dangerous ones, and prints no value', async () => {
    const secrets = client.resource(parseGvr('v1/secrets'), { namespace: 'shop' });
    const secret = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: inShop(name),
      stringData: { token: 'hunter2' },
    });
    await secrets.create(secret('old')); // it was there before, so it is no change
    await using cli = await running('security-auditor.ts', '"watching"');
    await secrets.create(secret('new'), { fieldManager: 'pipeline' });
    await secrets.patch(
      'old',
      { stringData: { token: 'hunter3', other: 'x' } },
      { type: 'merge', fieldManager: 'mallory' },
    );
    await secrets.delete('new');
    const binding = (name: string, role: string, subject: object) => ({
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: inShop(name),
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: RBAC, ...subject }],
    });
    const bindings = client.resource(parseGvr(`${RBAC}/v1/rolebindings`), { namespace: 'shop' });
    await bindings.create(binding('fine', 'view', { kind: 'User', name: 'ann' }), { fieldManager: 'ops' });
    await bindings.create(binding('open', 'view', { kind: 'Group', name: 'system:authenticated' }));
    await bindings.create(binding('root', 'cluster-admin', { kind: 'User', name: 'eve' }), { fieldManager: 'eve' });
    await soon(() => cli.lines.length >= 7);
    const lines = cli.events<{ kind?: string; key?: string; what: string }>().slice(1);
    expect(lines.filter(({ kind }) => kind === 'Secret')).toEqual([
      { what: 'created', kind: 'Secret', key: 'shop/new', by: ['pipeline'], keys: ['token'] },
      { what: 'changed', kind: 'Secret', key: 'shop/old', by: ['mallory'], keys: ['other', 'token'] },
      { what: 'deleted', kind: 'Secret', key: 'shop/new', keys: ['token'] },
    ]);
    expect(lines.filter(({ kind }) => kind === 'RoleBinding')).toMatchObject([
      { what: 'created', key: 'shop/fine', by: ['ops'], role: 'view', subjects: ['User ann'] },
      { key: 'shop/open', danger: 'everyone in system:authenticated has the role view' },
      { key: 'shop/root', by: ['eve'], danger: 'eve may do everything' },
    ]);
    const events = () =>
      sandbox.list(parseGvr('v1/events'), { namespace: 'shop' }) as unknown as {
        reason: string;
        type: string;
        involvedObject: { name: string };
      }[];
    await soon(() => events().length === 2);
    expect(
      events()
        .map(({ type, reason, involvedObject }) => `${type} ${reason} ${involvedObject.name}`)
        .sort(),
    ).toEqual(['Warning DangerousBinding open', 'Warning DangerousBinding root']);
    await stopped(cli);
    expect(cli.stdout).not.toMatch(/hunter|aHVudGVy/);
  });
});

describe('the example of a capacity watcher', () => {
  it('reports what pods request of each node, follows changes, and writes only when a figure changes', async () => {
    const CONFIG_MAPS = parseGvr('v1/configmaps');
    const report = () =>
      (sandbox.get(CONFIG_MAPS, 'default/capacity-report') as { data?: Record<string, string> } | undefined)?.data ??
      {};
    const node = (name: string, type: string) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'node.kubernetes.io/instance-type': type } },
      status: { allocatable: { cpu: '4', memory: '16Gi' } },
    });
    const pod = (name: string, nodeName: string, cpu: string, more: object = {}) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: inShop(name),
      spec: { nodeName, containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory: '1Gi' } } }] },
      ...more,
    });
    sandbox.apply(node('n1', 'm5.xlarge'));
    sandbox.apply(node('n2', 'unknown'));
    sandbox.apply(pod('a', 'n1', '1500m'));
    await using cli = await running('capacity-watcher.ts', 'n1: cpu 38%');
    await soon(() => report().n1 === 'cpu 38% memory 6%, 0.120 $/h unused' && report().n2 === 'cpu 0% memory 0%');
    sandbox.apply(pod('b', 'n1', '0.5'));
    await soon(() => report().n1 === 'cpu 50% memory 13%, 0.096 $/h unused');
    const before = sandbox.get(CONFIG_MAPS, 'default/capacity-report')?.metadata.resourceVersion;
    sandbox.apply(pod('done', 'n1', '2', { status: { phase: 'Succeeded' } })); // uses nothing any more
    sandbox.apply(pod('c', 'n2', '1'));
    await soon(() => report().n2 === 'cpu 25% memory 6%');
    expect(report().n1).toBe('cpu 50% memory 13%, 0.096 $/h unused');
    expect(sandbox.get(CONFIG_MAPS, 'default/capacity-report')?.metadata.resourceVersion).not.toBe(before);
    sandbox.delete(parseGvr('v1/nodes'), 'n2');
    await soon(() => !('n2' in report()));
    await stopped(cli);
    expect(cli.lines.filter((line) => line.startsWith('n1'))).toHaveLength(2);
  });
});

describe('the example of an admission webhook', () => {
  it('registers itself, and decides from what the cluster has at the moment', async () => {
    const INGRESSES = parseGvr('networking.k8s.io/v1/ingresses');
    const { cert, key } = await makeCertificate('localhost', Date.now());
    const files = { TLS_CERT: path.join(folder, 'tls.crt'), TLS_KEY: path.join(folder, 'tls.key') };
    writeFileSync(files.TLS_CERT, cert);
    writeFileSync(files.TLS_KEY, key);
    const WEBHOOK_URL = 'https://localhost/validate';
    await using cli = await running('admission-webhook.ts', 'listening on port', { ...files, WEBHOOK_URL });
    const port = Number(/port (\d+)/.exec(cli.stdout)?.[1]);
    const webhooks = parseGvr('admissionregistration.k8s.io/v1/validatingwebhookconfigurations');
    await soon(() => sandbox.get(webhooks, 'unique-hosts') !== undefined);
    expect(sandbox.get(webhooks, 'unique-hosts')).toMatchObject({
      webhooks: [
        { clientConfig: { url: WEBHOOK_URL, caBundle: Buffer.from(cert).toString('base64') }, failurePolicy: 'Fail' },
      ],
    });

    const ingress = (host: string) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: inShop('web'),
      spec: { rules: [{ host }], defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    });
    const post = async (body: string) => {
      const sent = request({ host: 'localhost', port, path: '/validate', method: 'POST', ca: cert, agent: false });
      const answered = new Promise<unknown>((resolve, reject) => {
        sent.on('response', (response) => resolve(json(response))).on('error', reject);
      });
      sent.end(body);
      return answered;
    };
    const verdict = async (namespace: string, host: string) => {
      const review = {
        request: { uid: `${namespace} ${host}`, namespace, operation: 'CREATE', object: ingress(host) },
      };
      return ((await post(JSON.stringify(review))) as { response: { uid: string; allowed: boolean; status?: object } })
        .response;
    };
    const allowed = async (namespace: string) => (await verdict(namespace, 'a.example.com')).allowed;
    expect(await allowed('bank')).toBe(true);
    sandbox.apply(ingress('a.example.com'));
    await soon(async () => !(await allowed('bank')));
    expect(await verdict('bank', 'a.example.com')).toEqual({
      uid: 'bank a.example.com',
      allowed: false,
      status: { code: 403, message: 'the host a.example.com belongs to the Ingress shop/web' },
    });
    expect(await allowed('shop')).toBe(true); // its own namespace may
    expect((await verdict('bank', 'b.example.com')).allowed).toBe(true);
    sandbox.delete(INGRESSES, 'shop/web');
    await soon(() => allowed('bank'));
    expect(await post('{"no": "review"}')).toEqual({ message: 'the body is not an AdmissionReview' });
    await stopped(cli);
  });
});
