import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { configMapServer, configMapText, eventText } from '../support/config-map-server.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

const HUSH = 'hush-hush-7f3a';

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  fixture = await startFixture();
  folder = mkdtempSync(path.join(tmpdir(), 'informer-test-'));
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function written(name: string, text: string, mode = 0o600): string {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode });
  chmodSync(file, mode);
  return file;
}

describe('text never becomes code', () => {
  const DISALLOWED = { NODE_OPTIONS: '--disallow-code-generation-from-strings' };
  const HOOK = `let kind = 'made code';
try { kind = new Function('return "made code"')(); } catch (error) { kind = error.name; }
export default ({ key, log }) => log.info('tried', { key, kind });
`;

  it.each<[string, string[]]>([
    [
      'watch with CEL, columns and JSONPath',
      [
        'watch',
        'pods',
        '-n',
        'shop',
        '--once',
        '--filter',
        'object.metadata.name.matches("^web")',
        '--where',
        'READY != "9/9"',
        '-o',
        'jsonpath={.metadata.name}',
      ],
    ],
    [
      'an expression of jsonpath-plus',
      ['query', 'pods', '-n', 'shop', '--index', 'named=$.metadata.name', '--values', 'named'],
    ],
    ['jq', ['watch', 'pods', '-n', 'shop', '--once', '-o', 'jq=.object.metadata.name']],
    ['a tree', ['query', 'pods', '-n', 'shop', '-o', 'yaml']],
    ['columns', ['query', 'pods', '-n', 'shop', '-o', 'custom-columns=A:.metadata.name']],
    ['a table in place', ['watch', 'pods', '-n', 'shop', '--live', '--once']],
    ['the settings', ['config', 'show']],
    ['help', ['help', 'watch']],
    ['help that is not set by the build', ['reconcile', '--help', '--no-such-flag']],
    ['a sandbox of its own, with TLS', ['watch', 'pods', '-A', '--sandbox', '--once', '-o', 'name']],
  ])('by %s: it works where Node refuses to make code of text', async (_, words) => {
    const free = await run(words, { env: fixture.env });
    const bound = await run(words, { env: { ...fixture.env, ...DISALLOWED } });
    expect({ code: bound.code, stderr: bound.stderr }).toEqual({
      code: free.code,
      stderr: expect.not.stringContaining('EvalError'),
    });
    expect(bound.stdout.length > 0).toBe(free.stdout.length > 0);
  });

  it('by reconcile: it works where Node refuses that, and the refusal is in force in hooks', async () => {
    const hook = written('tries.mjs', HOOK);
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', hook], {
      env: { ...fixture.env, ...DISALLOWED },
    });
    await cli.until(({ stderr }) => stderr.includes('tried'), 'the hook');
    expect(cli.stderr).toContain('kind=EvalError');
  });
});

describe('a token of the kubeconfig', () => {
  it.skipIf(process.platform !== 'linux')(
    'is neither in the arguments nor in the environment of the program of a hook',
    async () => {
      const out = path.join(folder, 'seen');
      const hook = written(
        'looks.sh',
        `#!/bin/sh\ncat /proc/$$/cmdline /proc/$$/environ /proc/$PPID/cmdline | tr '\\0' '\\n' >> ${out}\necho done >> ${out}\n`,
        0o700,
      );
      const { token } = fixture.sandbox;
      await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', hook], { env: fixture.env });
      await cli.until(
        () => readdirSync(folder).includes('seen') && readFileSync(out, 'utf8').includes('done'),
        'the hook',
      );
      const seen = readFileSync(out, 'utf8');
      expect(seen).toContain('INFORMER_KEY=');
      expect(seen).not.toContain(token);
    },
  );

  it('is not in a diagnostic report of Node, nor is any variable of the environment', async () => {
    const reports = mkdtempSync(path.join(folder, 'reports-'));
    const options = `--report-on-signal --report-signal=SIGUSR2 --report-directory=${reports}`;
    const env = { ...fixture.env, NODE_OPTIONS: options, OWN_SECRET: HUSH };
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'name'], {
      env,
    });
    await cli.until(({ stdout }) => stdout !== '', 'the first pod');
    cli.kill('SIGUSR2');
    await cli.until(() => readdirSync(reports).some((name) => endsWhole(path.join(reports, name))), 'the report');
    const text = readdirSync(reports)
      .map((name) => readFileSync(path.join(reports, name), 'utf8'))
      .join('');
    expect(text).toContain('"javascriptStack"');
    expect(text).not.toContain(HUSH);
    expect(text).not.toContain(fixture.sandbox.token);
  });
});

function endsWhole(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

describe('a redirect', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function listening(answer: (url: string) => [status: number, headers: Record<string, string>]) {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization ?? ''}`);
      const [status, headers] = answer(request.url ?? '');
      response.writeHead(status, headers).end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it.each([301, 302, 307, 308])(
    '(%d) to another server is not followed: it gets no request and no token',
    async (status) => {
      const other = await listening(() => [200, {}]);
      const server = await listening((url) => [status, { location: `${other.url}${url}` }]);
      const kubeconfig = written(
        `redirect-${status}`,
        JSON.stringify({
          'current-context': 'c',
          contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
          clusters: [{ name: 'c', cluster: { server: server.url } }],
          users: [{ name: 'u', user: { token: HUSH } }],
        }),
      );
      const { code, stderr } = await run(['query', 'pods', '-A', '--cache-dir', folder], {
        env: { KUBECONFIG: kubeconfig },
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: /);
      expect(stderr).toContain(String(status));
      expect(stderr).not.toContain(HUSH);
      expect(server.seen.length).toBeGreaterThan(0);
      expect(other.seen).toEqual([]);
    },
  );
});

it('a name with a slash, which no API server has, ends no reconcile: a line names it, and the others run', async () => {
  await using server = await configMapServer(({ isWatch, send }, response) => {
    const items = ['one', 'a/b', 'two'].map((name, i) => configMapText(name, i + 1, '{}'));
    const metadata = '{"resourceVersion":"5"}';
    if (!isWatch)
      return send(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":${metadata},"items":[${items.join(',')}]}`);
    response.setHeader('content-type', 'application/json');
    response.write(
      eventText('ADDED', configMapText('c/d', 6, '{}')) + eventText('ADDED', configMapText('three', 7, '{}')),
    );
  });
  const hook = written('names.mjs', 'export default ({ key, log }) => log.info("ran " + key);\n');
  for (const flags of [[], ['one', 'two', 'three']]) {
    await using cli = new Cli(['reconcile', 'configmaps', ...flags, '-n', 'shop', '--hook', hook], { env: server.env });
    const keys = ['shop/one', 'shop/two', 'shop/three']; // a change may run before what was listed
    await cli.until(({ stderr }) => keys.every((key) => stderr.includes(`ran ${key}`)), 'the runs of all keys');
    if (flags.length > 0) continue; // they are not among the names
    for (const key of ['shop/a/b', 'shop/c/d'])
      expect(cli.stderr).toContain(
        `${key}: ERROR an event could not be mapped to keys source=configmaps: unexpected key format: "${key}"`,
      );
  }
});
