import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConnectionFlags } from '../../src/client/config/connection-flags.ts';
import { type LoadConfigOptions, listContexts, loadConfig } from '../../src/client/kubeconfig.ts';
import { FIRST, SECOND } from '../support/kubeconfig-texts.ts';

let directory: string;
const at = (...parts: string[]) => path.join(directory, ...parts);

async function write(name: string, text: string): Promise<string> {
  await mkdir(path.dirname(at(name)), { recursive: true });
  await writeFile(at(name), text);
  return at(name);
}

/** Loads with an environment of its own, without the variables and files of this machine. */
function load(options: LoadConfigOptions = {}) {
  return loadConfig({
    serviceAccountDir: at('no-service-account'),
    ...options,
    env: { HOME: at('home'), ...options.env },
  });
}

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'kubeconfig-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('loadConfig', () => {
  it('uses the current context, or the named one', async () => {
    const kubeconfig = await write('b', SECOND);
    expect(await load({ kubeconfig })).toMatchObject({
      server: 'https://two:6443/base',
      namespace: 'ns2',
      context: 'x2',
      cluster: 'c2',
      user: 'u2',
    });
    expect(await load({ kubeconfig, context: 'x3' })).toMatchObject({
      server: 'https://two:6443/base',
      namespace: 'default',
      context: 'x3',
      user: undefined,
    });
    expect(await load({ kubeconfig, cluster: 'c1', user: 'u1', namespace: 'n' })).toMatchObject({
      server: 'https://other:6443',
      namespace: 'n',
      user: 'u1',
    });
    expect(await listContexts({ kubeconfig })).toMatchObject({ current: 'x2', names: ['x2', 'x3'] });
  });

  it('reads --kubeconfig, else the KUBECONFIG list, else ~/.kube/config', async () => {
    const [a, b] = [await write('a', FIRST), await write('b', SECOND)];
    await write('home/.kube/config', `${FIRST}\ncurrent-context: x1`);
    expect((await load()).context).toBe('x1');
    expect((await load({ env: { KUBECONFIG: [a, '', at('missing'), b].join(path.delimiter) } })).context).toBe('x2');
    expect((await load({ env: { KUBECONFIG: b }, kubeconfig: b, context: 'x3' })).context).toBe('x3');
    await expect(load({ env: { KUBECONFIG: b }, kubeconfig: at('missing') })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/^stat .*missing: no such file or directory$/),
    });
  });

  it('uses flags alone when there is no kubeconfig', async () => {
    expect(await load({ server: 'http://localhost:8080' })).toMatchObject({
      server: 'http://localhost:8080',
      namespace: 'default',
      context: undefined,
    });
    expect((await load({ server: 'host:6443', insecureSkipTlsVerify: true })).server).toBe('https://host:6443');
    expect((await load({ server: 'host:8080' })).server).toBe('http://host:8080');
  });

  it('in a pod uses its service account, unless a kubeconfig says otherwise', async () => {
    await write('sa/token', 'pod-token\n');
    await write('sa/namespace', 'team\n');
    const serviceAccountDir = at('sa');
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const config = await load({ serviceAccountDir, env });
    expect(config).toMatchObject({ server: 'https://[fd00::1]', namespace: 'team', context: 'in-cluster' });
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer pod-token' });
    expect((await load({ serviceAccountDir, env: { ...env, POD_NAMESPACE: 'mine' } })).namespace).toBe('mine');
    await write('home/.kube/config', SECOND);
    expect((await load({ serviceAccountDir, env })).context).toBe('x2');
  });

  it('names the places that it searched, and the next step, when it finds nothing', async () => {
    await expect(load()).rejects.toMatchObject({
      code: 'config',
      hint: `looked for ${at('home/.kube/config')} and a service account; name a file with \`kubeconfig\`, or try without a cluster: \`kubectl-informer/sandbox\``,
    });
  });

  it.each<[ConnectionFlags, string, RegExp]>([
    [{ context: 'zz' }, 'context "zz" does not exist', /^choose one with `context`: x2, x3$/],
    [{ cluster: 'zz' }, 'no server found for cluster "zz"', /clusters of/],
    [{ user: 'zz' }, 'auth info "zz" does not exist', /users of/],
    [{ server: 'https://' }, 'server "https://" is not a URL', /https:\/\/host:port/],
  ])('%j is refused: %s', async (flags, message, hint) => {
    await expect(load({ kubeconfig: await write('b', SECOND), ...flags })).rejects.toMatchObject({
      code: 'config',
      message,
      hint: expect.stringMatching(hint),
    });
  });

  it('refuses a kubeconfig without a current context', async () => {
    await expect(load({ kubeconfig: await write('a', FIRST) })).rejects.toMatchObject({
      message: `no current context is set in ${at('a')}`,
      hint: 'choose one with `context`: x1',
    });
  });

  it.each([
    ['30', 30_000],
    ['1m30s', 90_000],
    [1500, 1500],
    ['0', undefined],
    [undefined, undefined],
  ])('reads a request timeout of %j as %j ms', async (requestTimeout, ms) => {
    expect((await load({ server: 'http://x', requestTimeout })).requestTimeoutMs).toBe(ms);
  });

  it('refuses other timeouts in kubectl’s words', async () => {
    await expect(load({ server: 'http://x', requestTimeout: 'soon' })).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringMatching(/^Invalid timeout value\. Timeout must be a single integer in seconds/),
    });
  });

  it('finds the proxy in the kubeconfig, else in the environment', async () => {
    const kubeconfig = await write(
      'p',
      'clusters: [{name: c, cluster: {server: "https://x", proxy-url: "http://p:1"}}]\ncontexts: [{name: x, context: {cluster: c}}]',
    );
    expect((await load({ kubeconfig, context: 'x', env: { HTTPS_PROXY: 'http://q:2' } })).proxyUrl).toBe('http://p:1');
    expect((await load({ server: 'https://x', env: { HTTPS_PROXY: 'http://q:2' } })).proxyUrl).toBe('http://q:2');
  });
});

describe('flags applied to a kubeconfig', () => {
  const CA = Buffer.from('the ca').toString('base64');
  const text = `
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://one", certificate-authority-data: ${CA}, tls-server-name: one.test}}]
users: [{name: u, user: {token: t, as: jane, as-groups: [g]}}]
`;
  const resolved = async (flags: ConnectionFlags) => {
    const { headers, tls } = await (await load({ kubeconfig: await write('k', text), ...flags })).credentials();
    return { headers, tls: { ...tls, ...(tls.ca ? { ca: String(tls.ca) } : {}) } };
  };
  const asJane = { 'impersonate-user': 'jane', 'impersonate-group': ['g'] };
  const oneTls = { ca: 'the ca', servername: 'one.test' };

  it.each<[string, ConnectionFlags, object, object]>([
    ['nothing', {}, { authorization: 'Bearer t', ...asJane }, oneTls],
    [
      'a server removes the TLS name of the old one',
      { server: 'https://two' },
      { authorization: 'Bearer t', ...asJane },
      { ca: 'the ca' },
    ],
    [
      'a TLS name',
      { tlsServerName: 'x.test' },
      { authorization: 'Bearer t', ...asJane },
      { ...oneTls, servername: 'x.test' },
    ],
    [
      'no verification removes the CA',
      { insecureSkipTlsVerify: true },
      { authorization: 'Bearer t', ...asJane },
      { rejectUnauthorized: false, servername: 'one.test' },
    ],
    ['a token', { token: 'flag\n' }, { authorization: 'Bearer flag', ...asJane }, oneTls],
    [
      'a password replaces the token',
      { username: 'me', password: 'pw' },
      { authorization: 'Basic bWU6cHc=', ...asJane },
      oneTls,
    ],
    [
      'impersonation',
      { as: 'bob', asUid: 'u', asGroup: ['a', 'b'], asUserExtra: ['k=v', 'k=w=x'] },
      {
        authorization: 'Bearer t',
        'impersonate-user': 'bob',
        'impersonate-uid': 'u',
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-k': ['v', 'w=x'],
      },
      oneTls,
    ],
  ])('%s', async (_, flags, headers, tls) => {
    expect(await resolved(flags)).toEqual({ headers, tls });
  });

  it('replace the data by certificate files', async () => {
    const [ca, clientCertificate, clientKey] = [
      await write('ca', 'flag ca'),
      await write('cert', 'flag cert'),
      await write('key', 'flag key'),
    ];
    const { tls } = await resolved({ certificateAuthority: ca, clientCertificate, clientKey });
    expect([tls.ca, tls.cert, tls.key].map(String)).toEqual(['flag ca', 'flag cert', 'flag key']);
  });

  it('turn verification on with a CA', async () => {
    const careless = text.replace(`certificate-authority-data: ${CA}`, 'insecure-skip-tls-verify: true');
    const certificateAuthority = await write('ca', 'flag ca');
    const config = await load({ kubeconfig: await write('k', careless), certificateAuthority });
    const { ca, rejectUnauthorized } = (await config.credentials()).tls;
    expect([String(ca), rejectUnauthorized]).toEqual(['flag ca', undefined]);
  });

  it.each<[ConnectionFlags, string]>([
    [{ token: 't', username: 'u' }, 'username/password or bearer token may be set, but not both'],
    [
      { insecureSkipTlsVerify: true, certificateAuthority: 'x' },
      'specifying a root certificates file with the insecure flag is not allowed',
    ],
    [{ asUserExtra: ['novalue'] }, 'the extra field "novalue" is not of the form key=value'],
  ])('refuses %j', async (flags, message) => {
    await expect(resolved(flags)).rejects.toThrow(message);
  });

  it('are hidden when config and credentials are printed', async () => {
    const config = await load({ kubeconfig: await write('k', text.replace('token: t', 'token: hush')) });
    const credentials = await config.credentials();
    expect(credentials.headers.authorization).toBe('Bearer hush');
    expect(
      inspect([config, credentials], { depth: 9, showHidden: true }) + JSON.stringify([config, credentials]),
    ).not.toContain('hush');
  });
});
