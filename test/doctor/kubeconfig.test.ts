import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { contextFound, filesFound, privacyFound } from '../../src/doctor/kubeconfig.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(name: string, text: string, mode = 0o600): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

const kubeconfig = (current = '') =>
  JSON.stringify({
    ...(current ? { 'current-context': current } : {}),
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token: 'hush' } }],
  });

const envOf = (...files: string[]) => ({ env: { KUBECONFIG: files.join(path.delimiter), HOME: folder } });

describe('the files', () => {
  it('are named with what is in each, and which wins', async () => {
    const [one, two] = [await written('one', kubeconfig()), await written('two', kubeconfig('one'))];
    const content = '(1 context, 1 cluster, 1 user)';
    expect(await filesFound(envOf(one, two))).toEqual({
      status: 'ok',
      found: `${one} ${content}, ${two} ${content}; of equal names the first file wins`,
    });
  });

  it('that are missing are a warning beside one that is there, and a problem alone, unless this is a pod', async () => {
    const [one, gone] = [await written('one', kubeconfig()), path.join(folder, 'gone')];
    expect(await filesFound(envOf(one, gone))).toMatchObject({ status: 'warning' });
    expect(await filesFound(envOf(gone))).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining('--sandbox'),
    });
    const inPod = { env: { ...envOf(gone).env, KUBERNETES_SERVICE_HOST: '10.0.0.1' } };
    expect(await filesFound(inPod)).toMatchObject({ status: 'ok', found: expect.stringContaining('service account') });
  });

  it('of which one cannot be parsed are a problem that quotes nothing of it', async () => {
    const broken = await written('broken', 'users: [{token: hush');
    const found = await filesFound(envOf(broken));
    expect(found).toMatchObject({ status: 'problem', found: expect.stringContaining(broken) });
    expect(JSON.stringify(found)).not.toContain('hush');
  });

  it('that others can read are a warning with the command', async () => {
    const [one, two] = [await written('one', kubeconfig()), await written('my two', kubeconfig(), 0o640)];
    expect(await privacyFound(envOf(one))).toEqual({ status: 'ok', found: 'only you can read them' });
    expect(await privacyFound(envOf(one, two))).toEqual({
      status: 'warning',
      found: `other users can read credentials in ${two} (mode 0640)`,
      fix: `chmod 600 '${two}'`,
    });
  });
});

describe('the context', () => {
  const config = {
    ...createConfig({ server: 'https://ann:hush@127.0.0.1:1', namespace: 'shop' }),
    context: 'one',
    cluster: 'c',
    user: 'u',
    proxyUrl: 'http://bob:hush@proxy:3128',
  };

  it('is shown with what chose it and where it leads, without any password', async () => {
    const files = envOf(await written('one', kubeconfig()), await written('two', kubeconfig('one')));
    expect(await contextFound(config, undefined, files)).toEqual({
      status: 'ok',
      found: `"one" (current-context of ${path.join(folder, 'two')}): cluster "c", user "u", namespace "shop", server https://127.0.0.1:1, through the proxy http://proxy:3128`,
    });
  });

  it.each([
    [{ values: ['one'], origin: 'flag' }, '--context'],
    [{ values: ['one'], origin: 'environment', label: 'KUBECTL_INFORMER_CONTEXT' }, 'KUBECTL_INFORMER_CONTEXT'],
  ] as const)('given by %j says so', async (given, text) => {
    expect((await contextFound(config, given, envOf(await written('one', kubeconfig())))).found).toContain(`(${text})`);
  });
});
