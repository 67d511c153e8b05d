import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../src/kit/certificate.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { decodeProtobuf } from '../../src/sandbox/write/protobuf.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { GATES_OF_1_37 } from '../support/gated-types.ts';
import { ask as askSandbox, briefly, type Loose, startWatch } from '../support/sandbox-requests.ts';
import { refusal } from '../support/write-requests.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const { cert: CA } = await makeCertificate('localhost', START);
const { cert: OTHER_CA } = await makeCertificate('localhost', START);

const BUNDLES = '/apis/certificates.k8s.io/v1/clustertrustbundles';
const REQUESTS = '/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests';
const RULES = '/apis/resource.k8s.io/v1/devicetaintrules';
const MIGRATIONS = '/apis/storagemigration.k8s.io/v1/storageversionmigrations';

const bundle = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { trustBundle: CA, ...spec } });
const request = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    signerName: 'example.com/pods',
    podName: 'web',
    podUID: 'p',
    serviceAccountName: 'default',
    serviceAccountUID: 's',
    nodeName: 'worker-1',
    nodeUID: 'n',
    stubPKCS10Request: 'AAAA',
    ...spec,
  },
});
const rule = (name: string, taint: object = {}) => ({
  metadata: { name },
  spec: { deviceSelector: { driver: 'gpu.example.com' }, taint: { key: 'broken', effect: 'NoExecute', ...taint } },
});
const migration = (name: string, resource: object = { group: 'apps', resource: 'deployments' }) => ({
  metadata: { name },
  spec: { resource },
});

interface Served {
  readonly gate: string;
  readonly kind: string;
  readonly path: string;
  readonly object: { metadata: { name: string }; spec: object };
  /** Name and priority of each column. */
  readonly columns: string;
  readonly cells: unknown[];
  /** The message of the OpenAPI document that has `field`, and its description. */
  readonly field: readonly [message: string, field: string, text: string];
  readonly subresources: string[];
}

const SERVED: Served[] = [
  {
    gate: 'ClusterTrustBundle',
    kind: 'ClusterTrustBundle',
    path: BUNDLES,
    object: bundle('roots'),
    columns: 'Name SignerName',
    cells: ['roots', '<none>'],
    field: [
      'io.k8s.api.certificates.v1.ClusterTrustBundleSpec',
      'trustBundle',
      'The certificates of the authorities as PEM.',
    ],
    subresources: [],
  },
  {
    gate: 'PodCertificateRequest',
    kind: 'PodCertificateRequest',
    path: REQUESTS,
    object: request('web-1'),
    columns: 'Name PodName ServiceAccountName NodeName SignerName State UnverifiedUserAnnotations',
    cells: ['web-1', 'web', 'default', 'worker-1', 'example.com/pods', 'Pending', '<none>'],
    field: [
      'io.k8s.api.certificates.v1.PodCertificateRequestSpec',
      'podName',
      'The pod that will use the certificate.',
    ],
    subresources: ['status'],
  },
  {
    gate: 'DRADeviceTaintRules',
    kind: 'DeviceTaintRule',
    path: RULES,
    object: rule('gpu'),
    columns: 'Name Key Value Effect TimeAdded Age',
    cells: ['gpu', 'broken', '', 'NoExecute', '0s', '0s'],
    field: ['io.k8s.api.resource.v1.DeviceTaintRuleSpec', 'taint', 'The taint that the devices get.'],
    subresources: ['status'],
  },
  {
    gate: 'StorageVersionMigrator',
    kind: 'StorageVersionMigration',
    path: MIGRATIONS,
    object: migration('again'),
    columns: 'Name Resource Status',
    cells: ['again', 'deployments.apps', 'Unknown'],
    field: ['io.k8s.apimachinery.pkg.apis.meta.v1.GroupResource', 'resource', 'The resource, such as deployments.'],
    subresources: ['status'],
  },
];

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const groupVersionOf = (path: string) => path.split('/').slice(2, 4).join('/');
const resourceOf = (path: string) => path.split('/').at(-1) ?? '';

let clock: FakeClock;
let sandbox: Sandbox;
const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  askSandbox(sandbox, method, path, body, headers);

beforeEach(async () => {
  clock = new FakeClock(START);
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1, featureGates: GATES_OF_1_37 });
});
afterEach(() => sandbox.stop());

describe.each(SERVED)('$kind', ({ gate, kind, path, object, columns, cells, field, subresources }) => {
  it('is served with its gate only', async () => {
    const resources = async (gates: Record<string, boolean>) => {
      await using server = await Sandbox.start({ socket: false, clock, featureGates: gates });
      const { body } = await askSandbox<{ resources?: { name: string }[] }>(
        server,
        'GET',
        `/apis/${groupVersionOf(path)}`,
      );
      const { status } = await askSandbox(server, 'GET', path);
      const api = await askSandbox(server, 'GET', `/openapi/v3/apis/${groupVersionOf(path)}`);
      const names = (body.resources ?? []).map(({ name }) => name).filter((name) => name.startsWith(resourceOf(path)));
      return [status, names, JSON.stringify(api.body).includes(`"${kind}"`)];
    };
    const all = [resourceOf(path), ...subresources.map((name) => `${resourceOf(path)}/${name}`)];
    expect(await resources({ [gate]: true })).toEqual([200, all, true]);
    expect(await resources({})).toEqual([404, [], false]);
  });

  it('is created, changed, watched and deleted', async () => {
    await using watch = await startWatch(sandbox, `${path}?watch=true`);
    const created = await ask('POST', path, object);
    expect([created.status, created.body.kind, created.body.apiVersion]).toEqual([201, kind, groupVersionOf(path)]);
    const at = `${path}/${object.metadata.name}`;
    expect((await ask('PATCH', at, { metadata: { labels: { a: 'b' } } })).body.metadata.labels).toEqual({ a: 'b' });
    expect((await ask('GET', path)).body).toMatchObject({
      kind: `${kind}List`,
      items: [{ metadata: { name: object.metadata.name, labels: { a: 'b' } } }],
    });
    const withoutVersion = await ask('PUT', at, object);
    expect(refusal(withoutVersion)[1]).toContain('metadata.resourceVersion: Invalid value: 0');
    expect((await ask('DELETE', at)).body).toMatchObject({ kind: 'Status', status: 'Success' });
    const { name } = object.metadata;
    await expect.poll(() => briefly(watch.events)).toEqual([`ADDED ${name}`, `MODIFIED ${name}`, `DELETED ${name}`]);
  });

  it('has the columns of a 1.37', async () => {
    await ask('POST', path, object);
    const { body } = await ask('GET', path, undefined, TABLE);
    expect(body.columnDefinitions?.map((column) => column.name).join(' ')).toBe(columns);
    expect(body.rows.map((row) => row.cells)).toEqual([cells]);
  });

  it('is described in the OpenAPI document', async () => {
    const [message, name, text] = field;
    const { body } = await askSandbox<{
      components: { schemas: Record<string, { properties: Record<string, { description: string }> }> };
    }>(sandbox, 'GET', `/openapi/v3/apis/${groupVersionOf(path)}`);
    expect(body.components.schemas[message]?.properties[name]?.description).toBe(text);
  });

  it('is applied, with the fields of its manager', async () => {
    const body = JSON.stringify({ apiVersion: groupVersionOf(path), kind, ...object });
    const applied = await ask('PATCH', `${path}/${object.metadata.name}?fieldManager=me`, body, {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(applied.status).toBe(201);
    expect(applied.body.metadata.managedFields?.[0]).toMatchObject({ manager: 'me', operation: 'Apply' });
  });
});

const statusOf = (conditions: object[]) => ({ status: { conditions } });
const now = '2026-01-01T00:00:00Z';
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'r',
  message: '',
  lastTransitionTime: now,
});

it.each<[path: string, object: { metadata: { name: string } }, condition: object, at: number, cell: string]>([
  [REQUESTS, request('a'), condition('Denied'), 5, 'Denied'],
  [MIGRATIONS, migration('a', { resource: 'secrets' }), condition('Succeeded'), 2, 'Succeeded'],
  [MIGRATIONS, migration('a'), condition('Running', 'False'), 2, 'Unknown'],
])('%s shows its state, which only the status subresource changes', async (path, object, state, at, cell) => {
  await ask('POST', path, { ...object, ...statusOf([condition('Issued'), condition('Failed')]) });
  const before = await ask('GET', `${path}/a`, undefined, TABLE);
  expect(['Pending', 'Unknown']).toContain(before.body.rows[0]?.cells[at]);
  await ask('PATCH', `${path}/a/status`, { ...statusOf([state]), metadata: { labels: { kept: 'out' } } });
  const { body } = await ask('GET', `${path}/a`, undefined, TABLE);
  expect(body.rows[0]?.cells[at]).toBe(cell);
  expect((await ask('GET', `${path}/a`)).body.metadata.labels).toBeUndefined();
});

it.each<[what: string, path: string, object: object, message: string]>([
  ['a bundle without a certificate', BUNDLES, bundle('a', { trustBundle: '' }), 'at least one trust anchor'],
  [
    'a bundle with a key',
    BUNDLES,
    bundle('a', { trustBundle: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' }),
    'entry 0 has bad block type: PRIVATE KEY',
  ],
  [
    'a bundle with something else',
    BUNDLES,
    bundle('a', { trustBundle: `${CA}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n` }),
    'entry 1 does not parse as X.509',
  ],
  [
    'a certificate that is there twice',
    BUNDLES,
    bundle('a', { trustBundle: CA + CA }),
    'duplicate trust anchor (indices [0 1])',
  ],
  ['a name with a colon', BUNDLES, bundle('a:b'), 'without signer name must not have ":" in its name'],
  [
    'a name without its signer',
    BUNDLES,
    bundle('a', { signerName: 'example.com/x' }),
    'ClusterTrustBundle for signerName example.com/x must be named with prefix example.com:x:',
  ],
  [
    'a signer without a path',
    BUNDLES,
    bundle('example.com:a', { signerName: 'example.com' }),
    'spec.signerName: Invalid value: "example.com": must be a fully qualified domain and path',
  ],
  ['a request without a key', REQUESTS, request('a', { stubPKCS10Request: '' }), 'spec: Invalid value: exactly one of'],
  [
    'a request without a pod',
    REQUESTS,
    request('a', { podUID: '' }),
    'spec.podUID: Invalid value: "": must not be empty',
  ],
  [
    'a request for a minute',
    REQUESTS,
    request('a', { maxExpirationSeconds: 60 }),
    'spec.maxExpirationSeconds: Invalid value: 60: must be in the range [3600, 7862400]',
  ],
  [
    'a request for two days of a signer of Kubernetes',
    REQUESTS,
    request('a', { maxExpirationSeconds: 172_800, signerName: 'kubernetes.io/kube-apiserver-client-pod' }),
    'must be in the range [3600, 86400]',
  ],
  ['a taint without a key', RULES, rule('a', { key: '' }), 'spec.taint.key: Invalid value: ""'],
  ['a taint without an effect', RULES, rule('a', { effect: '' }), 'spec.taint.effect: Required value'],
  [
    'a taint with an effect for nodes',
    RULES,
    rule('a', { effect: 'PreferNoSchedule' }),
    'spec.taint.effect: Unsupported value: "PreferNoSchedule": supported values: "NoExecute", "NoSchedule", "None"',
  ],
  ['a migration of nothing', MIGRATIONS, migration('a', {}), 'spec.resource.resource: Required value'],
  [
    'a migration of a kind',
    MIGRATIONS,
    migration('a', { resource: 'Secret' }),
    'spec.resource.resource: Invalid value: "Secret": a DNS-1035 label',
  ],
])('%s is refused', async (_what, path, object, message) => {
  const [status, text] = refusal(await ask('POST', path, object));
  expect([status, text]).toEqual([422, expect.stringContaining(message)]);
});

it.each<[path: string, object: { metadata: { name: string } }, change: object, field: string]>([
  [
    BUNDLES,
    bundle('example.com:a:b', { signerName: 'example.com/a' }),
    { signerName: 'example.com/c' },
    'spec.signerName',
  ],
  [REQUESTS, request('a'), { podName: 'other' }, 'spec'],
  [MIGRATIONS, migration('a'), { resource: { resource: 'secrets' } }, 'spec'],
])('%s keeps what identifies an object', async (path, object, spec, field) => {
  await ask('POST', path, object);
  const [status, text] = refusal(await ask('PATCH', `${path}/${object.metadata.name}`, { spec }));
  expect([status, text]).toEqual([422, expect.stringContaining(`${field}: Invalid value`)]);
  expect(text).toContain('field is immutable');
});

it('a bundle can get other certificates', async () => {
  await ask('POST', BUNDLES, bundle('a'));
  const changed = await ask('PATCH', `${BUNDLES}/a`, { spec: { trustBundle: CA + OTHER_CA } });
  expect([changed.status, changed.body.spec.trustBundle]).toEqual([200, CA + OTHER_CA]);
});

it('a request without a lifetime asks for a day', async () => {
  expect((await ask('POST', REQUESTS, request('a'))).body.spec.maxExpirationSeconds).toBe(86_400);
});

it('the time of a taint is that of its effect, and each change of the spec counts as a generation', async () => {
  const taintOf = (body: Loose) => body.spec.taint as { timeAdded: string };
  const created = await ask('POST', RULES, rule('a'));
  expect([taintOf(created.body).timeAdded, created.body.metadata.generation]).toEqual(['2026-01-01T00:00:00Z', 1]);
  await clock.advance(60_000);
  const valued = await ask('PATCH', `${RULES}/a`, { spec: { taint: { value: 'v' } } });
  expect([taintOf(valued.body).timeAdded, valued.body.metadata.generation]).toEqual(['2026-01-01T00:00:00Z', 2]);
  const changed = await ask('PATCH', `${RULES}/a`, { spec: { taint: { effect: 'None' } } });
  expect([taintOf(changed.body).timeAdded, changed.body.metadata.generation]).toEqual(['2026-01-01T00:01:00Z', 3]);
});

it('bundles and requests are selected by their signer, requests by pod and node too', async () => {
  await ask('POST', BUNDLES, bundle('a'));
  await ask('POST', BUNDLES, bundle('example.com:x:b', { signerName: 'example.com/x' }));
  await ask('POST', REQUESTS, request('c'));
  await ask('POST', REQUESTS, request('d', { nodeName: 'worker-2' }));
  const names = async (path: string, selector: string) =>
    (await ask('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`)).body.items?.map((i) => i.metadata.name);
  expect(await names(BUNDLES, 'spec.signerName=example.com/x')).toEqual(['example.com:x:b']);
  expect(await names(REQUESTS, 'spec.nodeName=worker-2')).toEqual(['d']);
  expect(await names(REQUESTS, 'spec.podName=web,spec.signerName=example.com/pods')).toEqual(['c', 'd']);
  expect((await ask('GET', `${REQUESTS}?fieldSelector=spec.podUID%3Dp`)).status).toBe(400);
});

it('service accounts may read bundles', async () => {
  const asAccount = { 'impersonate-user': 'system:serviceaccount:default:a' };
  expect((await ask('GET', BUNDLES, undefined, asAccount)).status).toBe(200);
  expect((await ask('POST', BUNDLES, bundle('a'), asAccount)).status).toBe(403);
  expect((await ask('GET', MIGRATIONS, undefined, asAccount)).status).toBe(403);
});

// Each text is an object that k8s.io/api 0.37.2 wrote as protobuf.
const conditions = [{ type: 'T', status: 'True', lastTransitionTime: now, reason: 'r', message: 'm' }];
it.each<[kind: string, apiVersion: string, base64: string, fields: object]>([
  [
    'ClusterTrustBundle',
    'certificates.k8s.io/v1',
    'azhzAAosChZjZXJ0aWZpY2F0ZXMuazhzLmlvL3YxEhJDbHVzdGVyVHJ1c3RCdW5kbGUSKQoRCgFhEgAaACIAKgAyADgAQgASFAoNZXhhbXBsZS5jb20vcxIDcGVtGgAiAA==',
    { spec: { signerName: 'example.com/s', trustBundle: 'pem' } },
  ],
  [
    'PodCertificateRequest',
    'certificates.k8s.io/v1',
    'azhzAAovChZjZXJ0aWZpY2F0ZXMuazhzLmlvL3YxEhVQb2RDZXJ0aWZpY2F0ZVJlcXVlc3QSlwEKEQoBYRIAGgAiACoAMgA4AEIAEkAKDWV4YW1wbGUuY29tL3MSAXAaAnB1IgJzYSoCc3UyAW46Am51QKA4WhIKDWV4YW1wbGUuY29tL2sSAXZiAgD/GkAKGwoBVBIEVHJ1ZRgAIggIgPLWygYQACoBcjIBbRIDcGVtIggIgPLWygYQACoICIDy1soGEAAyCAiA8tbKBhAAGgAiAA==',
    {
      spec: {
        signerName: 'example.com/s',
        podName: 'p',
        podUID: 'pu',
        serviceAccountName: 'sa',
        serviceAccountUID: 'su',
        nodeName: 'n',
        nodeUID: 'nu',
        maxExpirationSeconds: 7200,
        stubPKCS10Request: 'AP8=',
        unverifiedUserAnnotations: { 'example.com/k': 'v' },
      },
      status: { conditions, certificateChain: 'pem', notBefore: now, beginRefreshAt: now, notAfter: now },
    },
  ],
  [
    'DeviceTaintRule',
    'resource.k8s.io/v1',
    'azhzAAolChJyZXNvdXJjZS5rOHMuaW8vdjESD0RldmljZVRhaW50UnVsZRJjChEKAWESABoAIgAqADIAOABCABIvChUSDWQuZXhhbXBsZS5jb20aAXAiAWcSFgoBaxIBdhoETm9uZSIICIDy1soGEAAaHQobCgFUEgRUcnVlGAAiCAiA8tbKBhAAKgFyMgFtGgAiAA==',
    {
      spec: {
        deviceSelector: { driver: 'd.example.com', pool: 'p', device: 'g' },
        taint: { key: 'k', value: 'v', effect: 'None', timeAdded: now },
      },
      status: { conditions },
    },
  ],
  [
    'StorageVersionMigration',
    'storagemigration.k8s.io/v1',
    'azhzAAo1ChpzdG9yYWdlbWlncmF0aW9uLms4cy5pby92MRIXU3RvcmFnZVZlcnNpb25NaWdyYXRpb24STAoRCgFhEgAaACIAKgAyADgAQgASFQoTCgRhcHBzEgtkZXBsb3ltZW50cxogChsKAVQSBFRydWUYACIICIDy1soGEAAqAXIyAW0SATcaACIA',
    { spec: { resource: { group: 'apps', resource: 'deployments' } }, status: { conditions, resourceVersion: '7' } },
  ],
])('the protobuf of a %s is read', (kind, apiVersion, base64, fields) => {
  const [group = '', version = ''] = apiVersion.split('/');
  const read = decodeProtobuf(Buffer.from(base64, 'base64'), { group, version, kind });
  expect(read).toEqual({ apiVersion, kind, metadata: { name: 'a' }, ...fields });
});
