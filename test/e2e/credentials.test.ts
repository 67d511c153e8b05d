import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { type Authority, authority } from '../support/authority.ts';
import { Cli, run } from '../support/cli.ts';
import { OBJECTS, pod } from '../support/fixture.ts';
import { isAlive } from '../support/process-alive.ts';
import { type SocketScript, socketScript } from '../support/socket-script.ts';

const V1 = 'client.authentication.k8s.io/v1';

let pki: Authority;
let sandbox: Sandbox;
let server: SocketScript;
let folder: string;
const at = (name: string) => path.join(folder, name);
/** Who the client certificates said they were. */
const names = new Set<string>();

beforeAll(async () => {
  pki = await authority();
  folder = await mkdtemp(path.join(tmpdir(), 'credentials-'));
  server = await socketScript(guard, { ...pki.server, ca: pki.ca, requestCert: true, rejectUnauthorized: true });
  await writeFile(at('ca.pem'), pki.ca);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  sandbox = await Sandbox.start({});
  sandbox.apply(OBJECTS);
  server.seen.length = 0;
  names.clear();
  await writeFile(at('runs'), '');
  await writeFile(at('token'), sandbox.token);
});
afterEach(() => sandbox.stop());

/** Wants a certificate of our CA, warns, and passes on to the sandbox, which wants its token. */
function guard(request: IncomingMessage, response: ServerResponse): void {
  names.add(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN));
  response.setHeader('warning', '299 - "this server is old"');
  const { headers } = request;
  const onward = https.request(
    sandbox.url + request.url,
    { method: request.method, headers, ca: sandbox.caPem },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      response.on('close', () => answer.destroy());
    },
  );
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

/** A plugin beside the kubeconfig that counts its runs and gives what the file `token` holds, with a certificate. */
async function kubeconfig(): Promise<string> {
  const { cert, key } = await pki.client('plugin-user');
  const status = { clientCertificateData: cert, clientKeyData: key };
  const script = `#!${process.execPath}
const fs = require('node:fs');
fs.appendFileSync(${JSON.stringify(at('runs'))}, '.');
const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
if (spec.cluster.server !== ${JSON.stringify(server.url)} || spec.interactive) process.exit(7);
const status = { ...${JSON.stringify(status)}, token: fs.readFileSync(${JSON.stringify(at('token'))}, 'utf8') };
console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${V1}', status }));
`;
  await writeFile(at('plugin.cjs'), script);
  await chmod(at('plugin.cjs'), 0o755);
  await writeFile(
    at('config'),
    `
apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: c, user: u, namespace: shop}}]
clusters: [{name: c, cluster: {server: "${server.url}", certificate-authority: ca.pem}}]
users:
- name: u
  user:
    exec: {command: ./plugin.cjs, apiVersion: ${V1}, interactiveMode: IfAvailable, provideClusterInfo: true, installHint: get it from us}
`,
  );
  return at('config');
}

const runs = async () => (await readFile(at('runs'), 'utf8')).length;
const options = async () => ({
  env: { KUBECONFIG: await kubeconfig(), XDG_CACHE_HOME: await mkdtemp(path.join(folder, 'cache-')) },
});

describe('the built program, with a plugin that gives a token and a certificate, and a CA of its own', () => {
  it('lists; the plugin runs once for all requests, and a warning of the server is printed once', async () => {
    const { code, stdout, stderr } = await run(['query', 'pods,configmaps', '-o', 'name'], await options());
    expect([code, stderr]).toEqual([0, 'Warning: this server is old\n']);
    expect(stdout.split('\n').filter(Boolean).sort()).toEqual(['configmap/settings', 'pod/web-1', 'pod/web-2']);
    expect(server.seen.length).toBeGreaterThan(3);
    expect(await runs()).toBe(1);
    expect([...names]).toEqual(['plugin-user']);
  });

  it('goes on watching while the token changes, and runs the plugin once more for the requests that follow', async () => {
    await using cli = new Cli(['watch', 'pods', '-o', 'name'], await options());
    await cli.until((c) => c.lines.length === 2, 'the initial state');
    sandbox.apply(pod('web-0'));
    await cli.until((c) => c.lines.length === 3, 'an event, which shows that the watch is open');
    await writeFile(at('token'), sandbox.rotateToken());
    sandbox.apply(pod('web-3'));
    await cli.until((c) => c.lines.length === 4, 'an event on the watch that is open');
    expect(await runs()).toBe(1);
    server.server.closeAllConnections(); // now it must be opened again
    await expect.poll(runs).toBe(2);
    sandbox.apply(pod('web-4'));
    await cli.until((c) => c.stdout.includes('web-4'), 'an event on the watch that was resumed');
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
    expect(await runs()).toBe(2);
  });

  it('with a token that is refused asks the plugin once more, then ends with 1 and says who refused it', async () => {
    await writeFile(at('token'), 'wrong');
    const { code, stdout, stderr } = await run(['query', 'pods'], await options());
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: You must be logged in to the server \(Unauthorized\)/m);
    expect(stderr).toMatch(/^hint: the server refused the credentials: log in again/m);
    expect(stderr).not.toContain('wrong');
    expect(await runs()).toBe(2);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends at %s while the plugin waits, and what the plugin started ends with it',
    async (signal) => {
      const { env } = await options();
      await rm(at('child'), { force: true });
      await writeFile(at('plugin.cjs'), `#!/bin/sh\nsleep 600 & echo $! > ${at('child')}\nwait\n`);
      const child = async () => Number(await readFile(at('child'), 'utf8').catch(() => ''));
      await using cli = new Cli(['query', 'pods'], { env });
      await expect.poll(child).toBeGreaterThan(0);
      cli.kill(signal);
      expect((await cli.ended()).code).toBe(signal === 'SIGINT' ? 130 : 143);
      const pid = await child();
      await expect.poll(() => isAlive(pid)).toBe(false);
    },
  );

  it('ends with 1 when the plugin is not installed, with the hint of the kubeconfig', async () => {
    const { env } = await options();
    await rm(at('plugin.cjs'));
    const { code, stderr } = await run(['query', 'pods'], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*exec: executable .*plugin\.cjs not found/m);
    expect(stderr).toMatch(/^hint: get it from us$/m);
  });

  it.each([
    [
      '--certificate-authority',
      ['--certificate-authority', 'other.pem'],
      'x509: certificate signed by unknown authority',
      '--certificate-authority',
    ],
    [
      '--tls-server-name',
      ['--tls-server-name', 'other.test'],
      'x509: certificate is valid for api.test, 127.0.0.1, not other.test',
      '--tls-server-name api.test',
    ],
  ])(
    'ends with 1 when %s does not fit the server, names the server and says what to do',
    async (_, flags, message, hint) => {
      await writeFile(at('other.pem'), (await authority()).ca);
      const { code, stderr } = await run(['query', 'pods', ...flags], { ...(await options()), cwd: folder });
      expect(code).toBe(1);
      expect(stderr).toContain(
        `error: Unable to connect to the server: tls: failed to verify certificate: ${message} (${server.url})`,
      );
      expect(stderr).toMatch(new RegExp(`^hint: .*${hint}`, 'm'));
    },
  );
});
