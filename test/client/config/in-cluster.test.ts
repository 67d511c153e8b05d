import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inClusterKubeconfig } from '../../../src/client/config/in-cluster.ts';

const ENV = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

let serviceAccountDir: string;
const at = (name: string) => path.join(serviceAccountDir, name);

beforeEach(async () => {
  serviceAccountDir = await mkdtemp(path.join(os.tmpdir(), 'service-account-'));
});
afterEach(() => rm(serviceAccountDir, { recursive: true }));

describe('inClusterKubeconfig', () => {
  it('is the service account of the pod, with its CA and namespace', async () => {
    await writeFile(at('token'), 't');
    await writeFile(at('ca.crt'), 'ca');
    await writeFile(at('namespace'), 'team\n');
    const config = await inClusterKubeconfig({ env: ENV, serviceAccountDir });
    expect(config?.clusters.get('in-cluster')).toEqual({
      server: 'https://10.0.0.1:443',
      'certificate-authority': at('ca.crt'),
    });
    expect(config?.users.get('service-account')).toEqual({ tokenFile: at('token') });
    expect(config?.contexts.get('in-cluster')).toEqual({
      cluster: 'in-cluster',
      user: 'service-account',
      namespace: 'team',
    });
    expect(config?.currentContext).toBe('in-cluster');
  });

  it('has no CA and no namespace without their files', async () => {
    await writeFile(at('token'), 't');
    const config = await inClusterKubeconfig({ env: ENV, serviceAccountDir });
    expect(config?.clusters.get('in-cluster')).toEqual({ server: 'https://10.0.0.1:443' });
    expect(config?.contexts.get('in-cluster')).toEqual({ cluster: 'in-cluster', user: 'service-account' });
  });

  it('prefers the namespace of POD_NAMESPACE, and writes an IPv6 address in brackets', async () => {
    await writeFile(at('token'), 't');
    await writeFile(at('namespace'), 'team');
    const env = { ...ENV, KUBERNETES_SERVICE_HOST: 'fd00::1', POD_NAMESPACE: 'mine' };
    const config = await inClusterKubeconfig({ env, serviceAccountDir });
    expect(config?.clusters.get('in-cluster')?.server).toBe('https://[fd00::1]:443');
    expect(config?.contexts.get('in-cluster')?.namespace).toBe('mine');
  });

  it.each(['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'])('is undefined without %s', async (name) => {
    await writeFile(at('token'), 't');
    expect(await inClusterKubeconfig({ env: { ...ENV, [name]: '' }, serviceAccountDir })).toBeUndefined();
  });

  it('is undefined without a token file', async () => {
    expect(await inClusterKubeconfig({ env: ENV, serviceAccountDir })).toBeUndefined();
  });
});
