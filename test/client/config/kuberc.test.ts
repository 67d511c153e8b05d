import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/kit/logger.ts';
import { ownKubeconfig } from '../../support/own-kubeconfig.ts';

const place = ownKubeconfig();
const { at, authorization, configOf } = place;

const HEAD = 'apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n';

/** A plugin, and what it gives when the preferences are `text`. */
async function loginWith(text: string | undefined, { env = {}, command = at('login') } = {}): Promise<unknown> {
  const credential = {
    kind: 'ExecCredential',
    apiVersion: 'client.authentication.k8s.io/v1',
    status: { token: 'one' },
  };
  await writeFile(at('login'), `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
  await chmod(at('login'), 0o755);
  await mkdir(at('.kube'), { recursive: true });
  if (text !== undefined) await writeFile(at('.kube/kuberc'), text);
  const exec = { command, apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };
  const config = await configOf({ exec }, {}, { env: { HOME: place.directory, ...env }, logger: silentLogger });
  return authorization(config).catch((error: Error) => error.message);
}
const policy = (kind: string, ...commands: string[]) =>
  `${HEAD}credentialPluginPolicy: ${kind}\n${commands.length === 0 ? '' : 'credentialPluginAllowlist:\n'}${commands.map((command) => `- command: ${command}\n`).join('')}`;

describe("the policy for credential plugins in kubectl's preferences", () => {
  it.each([
    ['there is no file', undefined],
    ['the file is empty', ''],
    ['the file has no policy', HEAD],
    ['it is AllowAll', policy('AllowAll')],
  ])('lets a plugin run where %s', async (_, text) => {
    expect(await loginWith(text)).toBe('Bearer one');
  });

  it("refuses every plugin by DenyAll, in kubectl's words", async () => {
    expect(await loginWith(policy('DenyAll'))).toBe(`plugin "${at('login')}" not allowed: policy set to "DenyAll"`);
  });

  it('lets a plugin run that the allow list names by its path or its name on PATH, and no other', async () => {
    const env = { PATH: place.directory };
    expect(await loginWith(policy('Allowlist', at('login')))).toBe('Bearer one');
    expect(await loginWith(policy('Allowlist', 'login'), { env })).toBe('Bearer one');
    expect(await loginWith(policy('Allowlist', 'login'), { env, command: 'login' })).toBe('Bearer one');
    expect(await loginWith(policy('Allowlist', at('login')), { env, command: 'login' })).toBe('Bearer one');
    const refused = `plugin path "${at('login')}" is not permitted by the credential plugin allowlist`;
    expect(await loginWith(policy('Allowlist', '/usr/bin/login', 'other'))).toBe(refused);
    expect(await loginWith(policy('Allowlist', 'other'), { env, command: 'login' })).toBe(refused);
  });

  it('a name of the allow list that leads to another file lets nothing run', async () => {
    await mkdir(at('bin'));
    await writeFile(at('bin/login'), '#!/bin/sh\n');
    await chmod(at('bin/login'), 0o755);
    expect(await loginWith(policy('Allowlist', 'login'), { env: { PATH: at('bin') } })).toContain('is not permitted');
  });

  it.each([
    ['an allow list without its policy', policy('DenyAll', 'a'), 'plugin policy is "DenyAll" but allowlist is non-nil'],
    ['no allow list', policy('Allowlist'), 'policy set to "Allowlist", but allowlist is unspecified'],
    [
      'an empty allow list',
      `${policy('Allowlist')}credentialPluginAllowlist: []`,
      'but allowlist is empty; use "DenyAll"',
    ],
    ['an empty entry', `${policy('Allowlist')}credentialPluginAllowlist: [{}]`, 'empty allowlist entry #1'],
    ['a path that is not clean', policy('Allowlist', '/a/../b'), 'non-normalized file path: "/a/../b" vs "/b"'],
    ['an unknown policy', policy('Maybe'), 'unknown plugin policy: "Maybe"'],
  ])('runs no plugin with %s', async (_, text, message) => {
    expect(await loginWith(text)).toContain(message);
  });

  it('is read from the file that KUBERC names, which must be readable, and not at all with KUBERC=off', async () => {
    await writeFile(at('mine'), policy('DenyAll'));
    expect(await loginWith(undefined, { env: { KUBERC: at('mine') } })).toContain('policy set to "DenyAll"');
    expect(await loginWith(policy('DenyAll'), { env: { KUBERC: 'off' } })).toBe('Bearer one');
    expect(await loginWith(undefined, { env: { KUBERC: at('none') } })).toMatch(/^kuberc: .*none/);
    expect(await loginWith(undefined, { env: { KUBERC: path.join(place.directory, 'config') } })).toContain(
      'no valid preferences',
    );
  });

  it('a file of the default place that cannot be used counts as none, as in kubectl', async () => {
    expect(await loginWith('kind: Other')).toBe('Bearer one');
  });
});
