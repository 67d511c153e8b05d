import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LARGEST_CREDENTIAL } from '../../../src/client/http/limits.ts';
import { readText } from '../../../src/client/http/response.ts';
import { type LoadConfigOptions, loadConfig } from '../../../src/client/kubeconfig.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { authority } from '../../support/authority.ts';
import { isAlive } from '../../support/process-alive.ts';
import { socketScript } from '../../support/socket-script.ts';

let directory: string;
let clock: FakeClock;
const at = (name: string) => path.join(directory, name);

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'credentials-'));
  clock = new FakeClock();
});
afterEach(() => rm(directory, { recursive: true }));

async function configOf(user: object | undefined, cluster: object = {}, options: LoadConfigOptions = {}) {
  const kubeconfig = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', ...(user ? { user: 'u' } : {}) } }],
    clusters: [{ name: 'c', cluster: { server: 'https://one', ...cluster } }],
    users: [{ name: 'u', user }],
  };
  await writeFile(at('config'), JSON.stringify(kubeconfig)); // JSON is YAML
  return loadConfig({ kubeconfig: at('config'), clock, ...options, env: { PATH: process.env.PATH, ...options.env } });
}

async function authorization(config: Awaited<ReturnType<typeof configOf>>) {
  return (await config.credentials()).headers.authorization;
}

describe('a cluster', () => {
  it('without a user still has its CA and TLS name', async () => {
    const config = await configOf(undefined, {
      'certificate-authority-data': Buffer.from('the ca').toString('base64'),
      'tls-server-name': 'x.test',
    });
    const { headers, tls } = await config.credentials();
    expect(headers).toEqual({});
    expect({ ...tls, ca: String(tls.ca) }).toEqual({ ca: 'the ca', servername: 'x.test' });
  });

  it('may be plain http on this machine', async () => {
    const config = await configOf({ token: 't' }, { server: 'http://localhost:8001' });
    expect(await authorization(config)).toBe('Bearer t');
  });

  it('may be plain http elsewhere; like kubectl, nothing that could be stolen is sent there, nor a plugin run', async () => {
    const exec = { command: 'must-not-run', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };
    for (const user of [{ token: 't' }, { tokenFile: 'gone' }, { exec }, { username: 'me', password: 'pw' }, undefined]) {
      const config = await configOf(user && { ...user, as: 'jane' }, { server: 'http://plain.test:8001' });
      expect((await config.credentials()).headers).toEqual(user ? { 'impersonate-user': 'jane' } : {});
    }
  });

  it('whose CA file is missing says which', async () => {
    const config = await configOf({}, { 'certificate-authority': 'gone' });
    await expect(config.credentials()).rejects.toMatchObject({ code: 'config', message: expect.stringContaining(at('gone')) });
  });

  it('takes inline data before files, as kubectl does', async () => {
    await writeFile(at('file'), 'from file');
    const data = Buffer.from('from data').toString('base64');
    const config = await configOf(
      { 'client-certificate': 'file', 'client-certificate-data': data, 'client-key': 'file', 'client-key-data': data },
      { 'certificate-authority': 'file', 'certificate-authority-data': data },
    );
    const { ca, cert, key } = (await config.credentials()).tls;
    expect([ca, cert, key].map(String)).toEqual(['from data', 'from data', 'from data']);
  });
});

describe('a token file', () => {
  it('is trimmed, read again after a minute, and at once when the server refuses what was in it', async () => {
    await writeFile(at('token'), 'one\n');
    const config = await configOf({ tokenFile: 'token' });
    expect(await authorization(config)).toBe('Bearer one');
    await writeFile(at('token'), 'two\n');
    clock.tick(59_999);
    expect(await authorization(config)).toBe('Bearer one');
    clock.tick(1);
    expect(await authorization(config)).toBe('Bearer two');
    const rejected = await config.credentials();
    await writeFile(at('token'), 'three');
    expect((await config.credentials({ rejected })).headers.authorization).toBe('Bearer three');
    expect((await config.credentials({ rejected })).headers.authorization).toBe('Bearer three');
  });

  it('goes before a token beside it, once it can be read', async () => {
    const config = await configOf({ token: 'inline', tokenFile: 'token' });
    expect(await authorization(config)).toBe('Bearer inline');
    await writeFile(at('token'), 'from file');
    clock.tick(60_000);
    expect(await authorization(config)).toBe('Bearer from file');
  });

  it('that cannot be read any more counts as it was', async () => {
    await writeFile(at('token'), 'one');
    const config = await configOf({ tokenFile: 'token' });
    await authorization(config);
    await rm(at('token'));
    clock.tick(60_000);
    expect(await authorization(config)).toBe('Bearer one');
  });

  it('that is missing or empty is named', async () => {
    await expect((await configOf({ tokenFile: 'gone' })).credentials()).rejects.toThrow(at('gone'));
    await writeFile(at('token'), '\n');
    await expect((await configOf({ tokenFile: 'token' })).credentials()).rejects.toThrow(`token file ${at('token')} is empty`);
  });
});

it('a 401 reads the kubeconfig again: the user may have logged in meanwhile', async () => {
  const config = await configOf({ token: 'old' });
  const rejected = await config.credentials();
  await configOf({ token: 'new' });
  expect((await config.credentials({ rejected })).headers.authorization).toBe('Bearer new');
  await writeFile(at('config'), 'a: [');
  expect((await config.credentials({ rejected: await config.credentials() })).headers.authorization).toBe('Bearer new');
});

describe('an exec plugin', () => {
  const V1 = 'client.authentication.k8s.io/v1';

  /** A plugin that counts its runs in a file, keeps what it was told, and prints what `body` evaluates to. */
  async function plugin(body: string, more: object = {}) {
    const script = `
const fs = require('node:fs');
fs.appendFileSync(${JSON.stringify(at('runs'))}, '.');
fs.writeFileSync(${JSON.stringify(at('info'))}, process.env.KUBERNETES_EXEC_INFO + '\\n' + process.env.EXTRA);
const n = fs.readFileSync(${JSON.stringify(at('runs'))}).length;
const credential = (status) => ({ kind: 'ExecCredential', apiVersion: '${V1}', status });
process.stdout.write(JSON.stringify(${body}));`;
    await writeFile(at('plugin.cjs'), script);
    return { exec: { command: process.execPath, args: [at('plugin.cjs')], apiVersion: V1, interactiveMode: 'IfAvailable', ...more } };
  }
  const runs = async () => (await readFile(at('runs'), 'utf8')).length;

  it('is run once for a hundred requests at the same time, and not again while its token holds', async () => {
    const config = await configOf(await plugin("credential({ token: 't' + n, expirationTimestamp: '2026-01-01T01:00:00Z' })"));
    const all = await Promise.all(Array.from({ length: 100 }, () => authorization(config)));
    expect(new Set(all)).toEqual(new Set(['Bearer t1']));
    clock.tick(3600_000 - 30_001);
    expect(await authorization(config)).toBe('Bearer t1');
    expect(await runs()).toBe(1);
    clock.tick(1);
    await authorization(config);
    expect(await runs()).toBe(2);
  });

  it('that fails is run once for the requests that follow at once, and again later', async () => {
    const config = await configOf(await plugin('process.exit(3)'));
    await expect(config.credentials()).rejects.toThrow('exit code 3');
    await expect(config.credentials()).rejects.toThrow('exit code 3');
    expect(await runs()).toBe(1);
    clock.tick(2_000);
    await expect(config.credentials()).rejects.toThrow('exit code 3');
    expect(await runs()).toBe(2);
  });

  it('without an expiry is run again only when the server refuses what it gave, once for all who were refused', async () => {
    const config = await configOf(await plugin("credential({ token: 't' + n })"));
    const rejected = await config.credentials();
    clock.tick(1e9);
    expect(await config.credentials()).toBe(rejected);
    const renewed = await Promise.all([1, 2, 3].map(() => config.credentials({ rejected })));
    expect(renewed.map((c) => c.headers.authorization)).toEqual(['Bearer t2', 'Bearer t2', 'Bearer t2']);
    expect(await config.credentials({ rejected })).toBe(renewed[0]);
    expect(await runs()).toBe(2);
  });

  it('is told in KUBERNETES_EXEC_INFO what it asks for', async () => {
    const cluster = {
      'certificate-authority-data': 'Y2E=',
      'tls-server-name': 'x.test',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }],
    };
    const user = await plugin("credential({ token: 't' })", {
      provideClusterInfo: true,
      env: [{ name: 'EXTRA', value: 'from kubeconfig' }],
    });
    await (await configOf(user, cluster)).credentials();
    const [info = '', extra] = (await readFile(at('info'), 'utf8')).split('\n');
    expect(JSON.parse(info)).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: {
        interactive: false,
        cluster: { server: 'https://one', 'certificate-authority-data': 'Y2E=', 'tls-server-name': 'x.test', config: { audience: 'a' } },
      },
    });
    expect(extra).toBe('from kubeconfig');
    await (await configOf(await plugin("credential({ token: 't' })"), cluster)).credentials();
    expect(JSON.parse((await readFile(at('info'), 'utf8')).split('\n', 1)[0] ?? '').spec).toEqual({ interactive: false });
  });

  it('may give a certificate', async () => {
    const config = await configOf(await plugin("credential({ clientCertificateData: 'CERT', clientKeyData: 'KEY' })"));
    expect(await config.credentials()).toMatchObject({ headers: {}, tls: { cert: 'CERT', key: 'KEY' } });
  });

  it('is found beside the kubeconfig when its command is a relative path', async () => {
    const script = `#!${process.execPath}\nconsole.log(JSON.stringify({ apiVersion: '${V1}', status: { token: 'beside' } }));\n`;
    await writeFile(at('beside'), script, { mode: 0o755 });
    const config = await configOf({ exec: { command: './beside', apiVersion: V1, interactiveMode: 'Never' } });
    expect(await authorization(config)).toBe('Bearer beside');
  });

  it('is heard on stderr as it speaks', async () => {
    let heard = '';
    const body = "(process.stderr.write('visit https://login and enter ABC'), credential({ token: 't' }))";
    const config = await configOf(await plugin(body), {}, { onPluginOutput: (text) => (heard += text) });
    await config.credentials();
    expect(heard).toBe('visit https://login and enter ABC');
  });

  it('is not run for a user who has a token, or a certificate', async () => {
    const exec = await plugin("credential({ token: 't' })");
    expect(await authorization(await configOf({ ...exec, token: 'own' }))).toBe('Bearer own');
    await (await configOf({ ...exec, 'client-certificate-data': 'eA==', 'client-key-data': 'eA==' })).credentials();
    await expect(runs()).rejects.toThrow('ENOENT');
  });

  it('is ended when nobody waits for it any more, and run anew for the next', async () => {
    const config = await configOf(
      await plugin("(n === 1 ? Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000) : 0, credential({ token: 't' + n }))"),
    );
    const controller = new AbortController();
    const waiting = config.credentials({ signal: controller.signal });
    await expect.poll(() => runs().catch(() => 0)).toBe(1);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(await authorization(config)).toBe('Bearer t2');
  });

  it.each<[string, string, object, string]>([
    ['fails', 'process.exit(3)', {}, `exec: executable ${process.execPath} failed with exit code 3`],
    ['is missing', '0', { command: 'no-such-plugin-anywhere' }, 'exec: executable no-such-plugin-anywhere not found'],
    [
      'answers in another version',
      "({ ...credential({ token: 't' }), apiVersion: 'v0' })",
      {},
      `exec plugin is configured to use API version ${V1}, plugin returned version v0`,
    ],
    ['gives no status', 'credential(undefined)', {}, "exec plugin didn't return a status field"],
    ['gives nothing', 'credential({})', {}, "exec plugin didn't return a token or cert/key pair"],
    ['gives half a pair', "credential({ clientKeyData: 'k' })", {}, 'exec plugin returned only certificate or key, not both'],
    [
      'needs a terminal where there is none',
      'credential({})',
      { interactiveMode: 'Always' },
      'exec plugin cannot support interactive mode',
    ],
    [
      'gives an expiry that is no time',
      "credential({ token: 't', expirationTimestamp: 'soon' })",
      {},
      'exec plugin returned an expirationTimestamp that is no time',
    ],
    ['is of an unknown version', '0', { apiVersion: 'v9' }, 'exec plugin: invalid apiVersion "v9"'],
    ['has no command', '0', { command: '' }, 'command must be specified for u to use exec authentication plugin'],
    ['has no interactiveMode', '0', { interactiveMode: '' }, 'interactiveMode must be specified for u to use exec authentication plugin'],
    ['has a wrong interactiveMode', '0', { interactiveMode: 'Maybe' }, 'invalid interactiveMode for u: "Maybe"'],
  ])('that %s is an error that says so, with the hint of the kubeconfig', async (_, body, more, message) => {
    const config = await configOf(await plugin(body, { installHint: 'install it', ...more }));
    const error: Error = await config.credentials().then(
      () => expect.unreachable(),
      (e) => e,
    );
    expect(error.message).toContain(message);
    if (/failed|not found/.test(message)) expect(error).toMatchObject({ code: 'credentials', hint: 'install it' });
  });
});

describe('a process that an exec plugin started', () => {
  const V1 = 'client.authentication.k8s.io/v1';
  const pidIn = async (name: string) => Number(await readFile(at(name), 'utf8').catch(() => ''));

  /** A plugin that never answers, with a child that holds its output open. */
  function waiting(interactiveMode: string) {
    const script = `[ -e ${at('plugin')} ] && exec echo '${JSON.stringify({ apiVersion: V1, status: { token: 't2' } })}'
sleep 600 & echo $! > ${at('child')}; echo $$ > ${at('plugin')}; wait`;
    return { exec: { command: 'sh', args: ['-c', script], apiVersion: V1, interactiveMode } };
  }

  it('ends with the plugin when that is given up', async () => {
    const config = await configOf(waiting('Never'));
    const controller = new AbortController();
    const asked = config.credentials({ signal: controller.signal });
    await expect.poll(() => pidIn('plugin')).toBeGreaterThan(0);
    const pids = [await pidIn('plugin'), await pidIn('child')];
    expect(pids.map(isAlive)).toEqual([true, true]);
    controller.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  });

  it('stays in the group of the terminal with a plugin that may ask a person, and keeps nobody waiting', async () => {
    const config = await configOf(waiting('IfAvailable'), {}, { interactive: true });
    const controller = new AbortController();
    const asked = config.credentials({ signal: controller.signal });
    await expect.poll(() => pidIn('plugin')).toBeGreaterThan(0);
    const child = await pidIn('child');
    try {
      controller.abort(new Error('enough'));
      await expect(asked).rejects.toThrow('enough');
      expect(isAlive(child)).toBe(true);
      expect(await authorization(config)).toBe('Bearer t2');
    } finally {
      process.kill(child);
    }
  });
});

describe('an exec plugin that prints without end', () => {
  const V1 = 'client.authentication.k8s.io/v1';

  it.each(['output', 'error'])('on its standard %s is killed at the limit, with an error that names it', async (stream) => {
    const to = stream === 'output' ? '' : ' >&2';
    const script = `echo $$ > ${JSON.stringify(at('pid'))}; trap '' TERM; while :; do head -c 100000 /dev/zero${to}; done`;
    let heard = 0;
    const user = { exec: { command: 'sh', args: ['-c', script], apiVersion: V1, interactiveMode: 'Never' } };
    const config = await configOf(user, {}, { onPluginOutput: (text) => (heard += text.length) });
    await expect(config.credentials()).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining(`executable sh printed more than ${LARGEST_CREDENTIAL} bytes on its standard ${stream}, the limit`),
    });
    expect(heard).toBeLessThanOrEqual(LARGEST_CREDENTIAL);
    const pid = Number(await readFile(at('pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('through a process it left behind keeps nobody waiting', async () => {
    const script = `(while :; do head -c 100000 /dev/zero || exit; done) & exit 0`;
    const config = await configOf({ exec: { command: 'sh', args: ['-c', script], apiVersion: V1, interactiveMode: 'Never' } });
    await expect(config.credentials()).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining('printed more than'),
    });
  });
});

describe('an OIDC provider', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  let serial = 0;
  /** A token that ends that many seconds from now. */
  const jwt = (seconds: number) => `${encode({ alg: 'x' })}.${encode({ exp: clock.now() / 1000 + seconds, n: ++serial })}.sig`;

  interface Asked {
    authorization: string | undefined;
    form: Record<string, string>;
  }

  /** A provider whose tokens last an hour; `answer` replaces its answer to a refresh. */
  async function provider(answer: () => [status: number, body: object] | undefined = () => undefined, methods?: string[], tls?: object) {
    const asked: Asked[] = [];
    const server = await socketScript((request, response) => {
      if (request.url === '/realm/.well-known/openid-configuration') {
        response.end(JSON.stringify({ token_endpoint: `${server.url}/token`, token_endpoint_auth_methods_supported: methods }));
        return;
      }
      void readText(request).then((body) => {
        asked.push({ authorization: request.headers.authorization, form: Object.fromEntries(new URLSearchParams(body)) });
        const [status, json] = answer() ?? [200, { id_token: jwt(3600), refresh_token: `refresh-${asked.length + 1}` }];
        response.writeHead(status).end(JSON.stringify(json));
      });
    }, tls);
    return Object.assign(server, { asked });
  }

  const user = (issuer: string, more: object = {}) => ({
    'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': issuer, 'client-id': 'c', 'refresh-token': 'refresh-1', ...more } },
  });
  const written = async () => JSON.parse(await readFile(at('config'), 'utf8')).users[0].user['auth-provider'].config;

  it('whose answer is too long is an error with the limit, without a word of the answer', async () => {
    await using idp = await provider(() => [200, { id_token: jwt(3600), padding: 'x'.repeat(LARGEST_CREDENTIAL) }]);
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': jwt(-1) }));
    const error: Error = await config.credentials().then(
      () => expect.unreachable(),
      (e) => e,
    );
    expect(error).toMatchObject({ code: 'credentials' });
    expect(error.message).toBe(
      `failed to refresh token: the answer of ${idp.url}/token is longer than the limit of ${LARGEST_CREDENTIAL} bytes (1 MiB)`,
    );
  });

  it('is not asked while the token of the kubeconfig holds', async () => {
    await using idp = await provider();
    const token = jwt(3600);
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': token }));
    expect(await authorization(config)).toBe(`Bearer ${token}`);
    expect(idp.seen).toHaveLength(0);
  });

  it.each([
    ['that has ended', -1],
    ['that is about to end', 9],
    ['that is missing', undefined],
  ])(
    'renews a token %s once for a hundred requests, and not again until the new one ends, whatever else is read anew',
    async (_, seconds) => {
      await using idp = await provider();
      await writeFile(at('ca'), 'the ca');
      const old = seconds === undefined ? {} : { 'id-token': jwt(seconds) };
      const config = await configOf(user(`${idp.url}/realm/`, old), { 'certificate-authority': 'ca' });
      const all = await Promise.all(Array.from({ length: 100 }, () => authorization(config)));
      expect(new Set(all).size).toBe(1);
      expect(idp.asked.map(({ form }) => form)).toEqual([{ grant_type: 'refresh_token', refresh_token: 'refresh-1', client_id: 'c' }]);
      for (let minutes = 0; minutes < 59; minutes++) {
        clock.tick(60_000);
        expect(await authorization(config)).toBe(all[0]);
      }
      clock.tick(60_000);
      expect(await authorization(config)).not.toBe(all[0]);
      expect(idp.asked[1]?.form).toMatchObject({ refresh_token: 'refresh-2' });
      expect(idp.asked).toHaveLength(2);
    },
  );

  it('has its new tokens put into the kubeconfig in the place of the old ones, where nothing else changes', async () => {
    await using idp = await provider();
    const old = jwt(-1);
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': old }));
    const before = `# kept\n${await readFile(at('config'), 'utf8')}\n`;
    await writeFile(at('config'), before);
    await chmod(at('config'), 0o640);
    const token = String(await authorization(config)).slice('Bearer '.length);
    expect(await readFile(at('config'), 'utf8')).toBe(before.replace(old, token).replace('refresh-1', 'refresh-2'));
    expect((await stat(at('config'))).mode & 0o777).toBe(0o640);
    expect(await readdir(directory)).toEqual(['config']);
  });

  it.each([
    ['is locked by kubectl', 'refresh-2', () => writeFile(at('config.lock'), '')],
    ['would not read as text there any more', '12345', async () => {}],
  ])('has its new tokens used all the same when the kubeconfig %s', async (_, next, disturb) => {
    await using idp = await provider(() => [200, { id_token: jwt(3600), refresh_token: next }]);
    const warned: string[] = [];
    const logger = createLogger((level, message) => level === 'warn' && warned.push(message));
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': jwt(-1) }), {}, { logger });
    const text = (await readFile(at('config'), 'utf8')).replaceAll('"refresh-1"', 'refresh-1');
    await writeFile(at('config'), text);
    await disturb();
    expect(await authorization(config)).toMatch(/^Bearer /);
    expect(await readFile(at('config'), 'utf8')).toBe(text);
    expect(warned).toEqual(['renewed OIDC tokens are kept in memory only']);
    clock.tick(3600_000);
    await authorization(config);
    expect(idp.asked[1]?.form).toMatchObject({ refresh_token: next });
  });

  it('is not asked when somebody has logged in meanwhile', async () => {
    await using idp = await provider();
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': jwt(3600) }));
    await authorization(config);
    clock.tick(3600_000);
    const token = jwt(3600);
    await configOf(user(`${idp.url}/realm`, { 'id-token': token }));
    expect(await authorization(config)).toBe(`Bearer ${token}`);
    expect(idp.seen).toHaveLength(0);
  });

  it('renews a token that the server refuses, unless it is quite new', async () => {
    await using idp = await provider();
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': jwt(3600) }));
    for (const requests of [1, 1, 1]) {
      await config.credentials({ rejected: await config.credentials() });
      expect(idp.asked).toHaveLength(requests);
    }
    clock.tick(60_001);
    await config.credentials({ rejected: await config.credentials() });
    expect(idp.asked).toHaveLength(2);
  });

  it.each([
    [undefined, `Basic ${Buffer.from('c:s%2Fx').toString('base64')}`, {}],
    [['client_secret_post'], undefined, { client_id: 'c', client_secret: 's/x' }],
  ])('is told the client secret in the way it knows (%j)', async (methods, header, fields) => {
    await using idp = await provider(undefined, methods);
    await authorization(await configOf(user(`${idp.url}/realm`, { 'client-secret': 's/x' })));
    expect(idp.asked).toEqual([{ authorization: header, form: { grant_type: 'refresh_token', refresh_token: 'refresh-1', ...fields } }]);
  });

  it('is trusted by the CA its section names', async () => {
    const pki = await authority();
    await using idp = await provider(undefined, undefined, pki.server);
    await writeFile(at('idp.pem'), pki.ca);
    for (const ca of [
      { 'idp-certificate-authority': at('idp.pem') },
      { 'idp-certificate-authority-data': Buffer.from(pki.ca).toString('base64') },
    ]) {
      expect(await authorization(await configOf(user(`${idp.url}/realm`, ca)))).toMatch(/^Bearer /);
    }
    await expect((await configOf(user(`${idp.url}/realm`))).credentials()).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining('failed to verify certificate'),
    });
  });

  it.each<[string, object, [number, object] | undefined, string]>([
    ['no refresh token', { 'refresh-token': '' }, undefined, 'No valid id-token, and cannot refresh without refresh-token'],
    ['no issuer', { 'idp-issuer-url': '' }, undefined, 'Must provide idp-issuer-url'],
    ['no client', { 'client-id': '' }, undefined, 'Must provide client-id'],
    [
      'a refusal',
      {},
      [400, { error: 'invalid_grant', error_description: 'session ended' }],
      'failed to refresh token: invalid_grant: session ended',
    ],
    ['a failure without a reason', {}, [502, {}], 'failed to refresh token: the provider answered 502'],
    ['no token in the answer', {}, [200, { access_token: 'a' }], 'token response did not contain an id_token'],
  ])('of %s says so', async (_, more, answer, message) => {
    await using idp = await provider(() => answer);
    const config = await configOf(user(`${idp.url}/realm`, more));
    await expect(config.credentials()).rejects.toMatchObject({ code: 'credentials', message: expect.stringContaining(message) });
    expect((await written())['id-token']).toBeUndefined();
  });

  it('of an unknown name is an error, not an anonymous request', async () => {
    const config = await configOf({ 'auth-provider': { name: 'other', config: {} } });
    await expect(config.credentials()).rejects.toThrow('auth provider "other" gave no token');
  });
});
