import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { makeCertificate } from '../../src/kit/certificate.ts';
import { createLogger } from '../../src/kit/logger.ts';
import { createOpsServer, type OpsServerOptions } from '../../src/ops/ops-server.ts';
import { type InProcess, inProcess, through } from '../support/in-process.ts';

const metrics = { contentType: 'text/plain', text: async () => 'up 1\n' };
const SCRAPER = { user: 'system:serviceaccount:watching:prometheus' };

/** What lets a service account read the metrics of a program. */
const RIGHTS = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'prometheus', namespace: 'watching' } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'metrics-reader' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'metrics-reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics-reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'prometheus', namespace: 'watching' }],
  },
];

interface Page {
  readonly status: number | undefined;
  readonly text: string;
  readonly authority: string;
}

/** A GET over TLS, whose certificate is not checked. */
function page(address: string, pathname: string, token?: string): Promise<Page> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request(`https://${address}${pathname}`, { headers, rejectUnauthorized: false, agent: false }, (response) => {
      const socket = response.socket as never as { getPeerCertificate(): { fingerprint256: string } };
      const authority = socket.getPeerCertificate().fingerprint256;
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text, authority }));
    })
      .on('error', reject)
      .end();
  });
}

async function serve({ client, clock }: Pick<InProcess, 'client' | 'clock'>, options: Partial<OpsServerOptions> = {}) {
  const server = createOpsServer({
    address: '0.0.0.0:0',
    metrics,
    tls: 'self-signed',
    access: client,
    clock,
    ...options,
  });
  const address = (await server.start()).replace('0.0.0.0', '127.0.0.1');
  return { address, [Symbol.asyncDispose]: () => server.close() };
}

const reviews = ({ sent }: InProcess) =>
  sent.map(({ path: of }) => of.split('/').at(-1)).filter((name) => name?.endsWith('reviews'));

describe('a server with access', () => {
  it('gives the metrics to those whom the cluster lets have them, and probes to all', async () => {
    await using cluster = await inProcess({ objects: RIGHTS });
    const token = cluster.sandbox.tokenFor(SCRAPER);
    const other = cluster.sandbox.tokenFor({ user: 'system:serviceaccount:watching:default' });
    await using server = await serve(cluster);
    expect(await page(server.address, '/metrics', token)).toMatchObject({ status: 200, text: 'up 1\n' });
    expect(await page(server.address, '/metrics')).toMatchObject({ status: 401, text: 'a bearer token is needed\n' });
    expect(await page(server.address, '/metrics', 'wrong')).toMatchObject({ status: 401 });
    expect(await page(server.address, '/metrics', other)).toMatchObject({
      status: 403,
      text: 'system:serviceaccount:watching:default may not get /metrics\n',
    });
    for (const probe of ['/healthz', '/readyz']) expect((await page(server.address, probe)).status).toBe(200);
    expect((await page(server.address, '/%6detrics')).status).not.toBe(200);
  });

  it('asks once for many requests, and again when an answer has become old', async () => {
    await using cluster = await inProcess({ objects: RIGHTS });
    const token = cluster.sandbox.tokenFor(SCRAPER);
    await using server = await serve(cluster);
    const scrape = (name = token) => page(server.address, '/metrics', name);
    const many = await Promise.all(Array.from({ length: 20 }, () => scrape()));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
    expect(reviews(cluster)).toEqual(['tokenreviews', 'subjectaccessreviews']);
    await scrape('wrong');
    await scrape('wrong');
    expect(reviews(cluster).length).toBe(3);
    await cluster.clock.advance(60_001);
    await scrape();
    expect(reviews(cluster).slice(3)).toEqual(['tokenreviews']); // an allowed path counts for 5 min
    await cluster.clock.advance(300_001);
    await scrape();
    expect(reviews(cluster).slice(4)).toEqual(['tokenreviews', 'subjectaccessreviews']);
  });

  it('gives nothing, and remembers nothing, while the cluster does not answer', async () => {
    await using cluster = await inProcess({ objects: RIGHTS });
    const lines: string[] = [];
    const logger = createLogger((level, message) => void lines.push(`${level} ${message}`));
    let isDown = true;
    const transport = through(cluster.transport, (asked, send) =>
      isDown ? Promise.reject(new Error('no way there')) : send(asked),
    );
    const client = createClient(transport, { clock: cluster.clock, logger });
    const token = cluster.sandbox.tokenFor(SCRAPER);
    await using server = await serve({ client, clock: cluster.clock });
    const down = await page(server.address, '/metrics', token);
    expect(down).toMatchObject({ status: 503, text: 'the cluster did not say whether you may have this page\n' });
    expect(lines).toEqual(['error the cluster did not say who may have a page']);
    isDown = false;
    expect((await page(server.address, '/metrics', token)).status).toBe(200);
  });

  it('needs TLS where others reach it', async () => {
    await using cluster = await inProcess();
    const open = (address: string) => createOpsServer({ address, metrics, access: cluster.client });
    expect(() => open('0.0.0.0:0')).toThrow('access without tls would send tokens readable by others');
    expect(() => open('127.0.0.1:0')).not.toThrow();
  });
});

describe('the certificate', () => {
  it('of files is read again, and the one of before stays while they cannot be read', async () => {
    await using cluster = await inProcess();
    const folder = mkdtempSync(path.join(tmpdir(), 'ops-tls-'));
    const [certFile, keyFile] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')];
    const write = async () => {
      const { cert, key } = await makeCertificate('metrics.test', cluster.clock.now());
      writeFileSync(certFile, cert);
      writeFileSync(keyFile, key);
    };
    await write();
    await using server = await serve(cluster, { tls: { certFile, keyFile } });
    const seen = async () => (await page(server.address, '/healthz')).authority;
    const first = await seen();
    await write();
    expect(await seen()).toBe(first);
    await cluster.clock.advance(60_000);
    await expect.poll(seen).not.toBe(first);
    const second = await seen();
    rmSync(folder, { recursive: true });
    await cluster.clock.advance(60_000);
    expect(await seen()).toBe(second);
  });

  it('that is none is refused', () => {
    for (const tls of [true, {}, { certFile: 'a' }, 'a'])
      expect(() => createOpsServer({ address: '0', tls: tls as never })).toThrow('tls needs');
  });
});
