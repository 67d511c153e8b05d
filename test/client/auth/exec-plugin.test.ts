import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { LARGEST_CREDENTIAL } from '../../../src/client/http/limits.ts';
import { ownKubeconfig } from '../../support/own-kubeconfig.ts';
import { isAlive } from '../../support/process-alive.ts';

const place = ownKubeconfig();
const { at, authorization, configOf } = place;

describe('an exec plugin', () => {
  const V1 = 'client.authentication.k8s.io/v1';

  /** A plugin that counts its runs in a file, keeps its environment, and prints what `body` evaluates to. */
  async function plugin(body: string, more: object = {}) {
    const script = `
const fs = require('node:fs');
fs.appendFileSync(${JSON.stringify(at('runs'))}, '.');
fs.writeFileSync(${JSON.stringify(at('info'))}, process.env.KUBERNETES_EXEC_INFO + '\\n' + process.env.EXTRA);
const n = fs.readFileSync(${JSON.stringify(at('runs'))}).length;
const credential = (status) => ({ kind: 'ExecCredential', apiVersion: '${V1}', status });
process.stdout.write(JSON.stringify(${body}));`;
    await writeFile(at('plugin.cjs'), script);
    return {
      exec: {
        command: process.execPath,
        args: [at('plugin.cjs')],
        apiVersion: V1,
        interactiveMode: 'IfAvailable',
        ...more,
      },
    };
  }
  const runs = async () => (await readFile(at('runs'), 'utf8')).length;

  it('is run once for a hundred requests at the same time, and not again while its token holds', async () => {
    const config = await configOf(
      await plugin("credential({ token: 't' + n, expirationTimestamp: '2026-01-01T01:00:00Z' })"),
    );
    const all = await Promise.all(Array.from({ length: 100 }, () => authorization(config)));
    expect(new Set(all)).toEqual(new Set(['Bearer t1']));
    place.clock.tick(3600_000 - 30_001);
    expect(await authorization(config)).toBe('Bearer t1');
    expect(await runs()).toBe(1);
    place.clock.tick(1);
    await authorization(config);
    expect(await runs()).toBe(2);
  });

  it('that fails is run once for the requests that follow at once, and again later', async () => {
    const config = await configOf(await plugin('process.exit(3)'));
    await expect(config.credentials()).rejects.toThrow('exit code 3');
    await expect(config.credentials()).rejects.toThrow('exit code 3');
    expect(await runs()).toBe(1);
    place.clock.tick(2_000);
    await expect(config.credentials()).rejects.toThrow('exit code 3');
    expect(await runs()).toBe(2);
  });

  it('without an expiry is run again only when the server refuses its token, once for all requests that were refused', async () => {
    const config = await configOf(await plugin("credential({ token: 't' + n })"));
    const rejected = await config.credentials();
    place.clock.tick(1e9);
    expect(await config.credentials()).toBe(rejected);
    const renewed = await Promise.all([1, 2, 3].map(() => config.credentials({ rejected })));
    expect(renewed.map((c) => c.headers.authorization)).toEqual(['Bearer t2', 'Bearer t2', 'Bearer t2']);
    expect(await config.credentials({ rejected })).toBe(renewed[0]);
    expect(await runs()).toBe(2);
  });

  it('is run once in 4 s when the server refuses what it gives, so that a refused watch can be tried every second', async () => {
    const config = await configOf(await plugin("credential({ token: 't' + n })"));
    const refuse = async () => config.credentials({ rejected: await config.credentials() });
    await refuse();
    expect(await runs()).toBe(2);
    for (let second = 0; second < 4; second++) {
      expect((await refuse()).headers.authorization).toBe('Bearer t2');
      place.clock.tick(999);
    }
    expect(await runs()).toBe(2);
    place.clock.tick(4);
    expect((await refuse()).headers.authorization).toBe('Bearer t3');
    expect(await runs()).toBe(3);
  });

  it('gets the cluster in KUBERNETES_EXEC_INFO if it asks for it', async () => {
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
        cluster: {
          server: 'https://one',
          'certificate-authority-data': 'Y2E=',
          'tls-server-name': 'x.test',
          config: { audience: 'a' },
        },
      },
    });
    expect(extra).toBe('from kubeconfig');
    await (await configOf(await plugin("credential({ token: 't' })"), cluster)).credentials();
    expect(JSON.parse((await readFile(at('info'), 'utf8')).split('\n', 1)[0] ?? '').spec).toEqual({
      interactive: false,
    });
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

  it('has its output on stderr passed on', async () => {
    let output = '';
    const body = "(process.stderr.write('visit https://login and enter ABC'), credential({ token: 't' }))";
    const config = await configOf(await plugin(body), {}, { onPluginOutput: (text) => (output += text) });
    await config.credentials();
    expect(output).toBe('visit https://login and enter ABC');
  });

  it('is not run for a user who has a token, or a certificate', async () => {
    const exec = await plugin("credential({ token: 't' })");
    expect(await authorization(await configOf({ ...exec, token: 'own' }))).toBe('Bearer own');
    await (await configOf({ ...exec, 'client-certificate-data': 'eA==', 'client-key-data': 'eA==' })).credentials();
    await expect(runs()).rejects.toThrow('ENOENT');
  });

  it('is ended when the last caller has left, and run again for the next one', async () => {
    const config = await configOf(
      await plugin(
        "(n === 1 ? Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000) : 0, credential({ token: 't' + n }))",
      ),
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
    [
      'answers with a text as version that may be a secret',
      "({ ...credential({ token: 't' }), apiVersion: 'a secret' })",
      {},
      `exec plugin is configured to use API version ${V1}, plugin returned no valid version`,
    ],
    ['gives no status', 'credential(undefined)', {}, "exec plugin didn't return a status field"],
    ['gives nothing', 'credential({})', {}, "exec plugin didn't return a token or cert/key pair"],
    [
      'gives half a pair',
      "credential({ clientKeyData: 'k' })",
      {},
      'exec plugin returned only certificate or key, not both',
    ],
    [
      'needs a terminal where there is none',
      'credential({})',
      { interactiveMode: 'Always' },
      'exec plugin cannot support interactive mode',
    ],
    [
      'gives an expiry that is not a time',
      "credential({ token: 't', expirationTimestamp: 'soon' })",
      {},
      'exec plugin returned an expirationTimestamp that is not a time',
    ],
    ['is of an unknown version', '0', { apiVersion: 'v9' }, 'exec plugin: invalid apiVersion "v9"'],
    ['has no command', '0', { command: '' }, 'command must be specified for u to use exec authentication plugin'],
    [
      'has no interactiveMode',
      '0',
      { interactiveMode: '' },
      'interactiveMode must be specified for u to use exec authentication plugin',
    ],
    ['has a wrong interactiveMode', '0', { interactiveMode: 'Maybe' }, 'invalid interactiveMode for u: "Maybe"'],
  ])('that %s is an error with the hint of the kubeconfig', async (_, body, more, message) => {
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

  /** A plugin that never answers, with a child process that keeps its output open. */
  function waiting(interactiveMode: string) {
    const script = `[ -e ${at('plugin')} ] && exec echo '${JSON.stringify({ apiVersion: V1, status: { token: 't2' } })}'
sleep 600 & echo $! > ${at('child')}; echo $$ > ${at('plugin')}; wait`;
    return { exec: { command: 'sh', args: ['-c', script], apiVersion: V1, interactiveMode } };
  }

  it('ends with the plugin when the call is aborted', async () => {
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

  it('stays in the group of the terminal with a plugin that may ask the user, and delays no later call', async () => {
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

  it.each(['output', 'error'])(
    'on its standard %s is killed at the limit, with an error that names the limit',
    async (stream) => {
      const to = stream === 'output' ? '' : ' >&2';
      const script = `echo $$ > ${JSON.stringify(at('pid'))}; trap '' TERM; while :; do head -c 100000 /dev/zero${to}; done`;
      let length = 0;
      const user = { exec: { command: 'sh', args: ['-c', script], apiVersion: V1, interactiveMode: 'Never' } };
      const config = await configOf(user, {}, { onPluginOutput: (text) => (length += text.length) });
      await expect(config.credentials()).rejects.toMatchObject({
        code: 'credentials',
        message: expect.stringContaining(
          `executable sh printed more than ${LARGEST_CREDENTIAL} bytes on its standard ${stream}, the limit`,
        ),
      });
      expect(length).toBeLessThanOrEqual(LARGEST_CREDENTIAL);
      const pid = Number(await readFile(at('pid'), 'utf8'));
      await expect.poll(() => isAlive(pid)).toBe(false);
    },
  );

  it('in a process that it left behind does not delay the error', async () => {
    const script = `(while :; do head -c 100000 /dev/zero || exit; done) & exit 0`;
    const config = await configOf({
      exec: { command: 'sh', args: ['-c', script], apiVersion: V1, interactiveMode: 'Never' },
    });
    await expect(config.credentials()).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining('printed more than'),
    });
  });
});
