import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { APPLES, type Fixture, OBJECTS, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  const runtime = await mkdtemp(path.join(tmpdir(), 'serve-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  return () => rm(runtime, { recursive: true, force: true });
});

/** A serve, when it is ready. */
async function served(...args: string[]): Promise<Cli> {
  const cli = new Cli(['serve', ...args], { env });
  await cli.until(({ stderr }) => /^ready: /m.test(stderr), 'ready');
  return cli;
}

const folderOfServe = async () => {
  const serves = path.join(env.XDG_RUNTIME_DIR, 'kubectl-informer', 'serve');
  const [key = ''] = (await readdir(serves)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  return path.join(serves, key);
};

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Asks over the socket of the serve, or over a port. */
async function ask(url: string, { port, headers = {}, body }: Asking = {}): Promise<Reply> {
  const at = port === undefined ? { socketPath: path.join(await folderOfServe(), 'socket') } : { port };
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request({ ...at, path: url, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

interface Asking {
  readonly port?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const QUESTIONS: readonly (readonly string[])[] = [
  ['pods', '-A'],
  ['pods', '-n', 'shop', '-o', 'wide'],
  ['pods', '-n', 'shop', '-o', 'json'],
  ['pods', '-A', '-o', 'yaml'],
  ['pods', '-A', '-o', 'name'],
  ['pods', '-A', '-o', 'ndjson'],
  ['pods', '-A', '-o', 'csv'],
  ['pods', '-A', '-o', 'jsonpath={.metadata.name}{"\\n"}'],
  ['pods', '-A', '-o', 'custom-columns=N:.metadata.name,P:.status.phase'],
  ['pods', '-A', '-o', 'jq=.items[].metadata.name'],
  ['pods', '-A', '--show-labels'],
  ['pods', '-A', '-L', 'app', '--show-kind'],
  ['pods', '-A', '--color', 'always'],
  ['pods,deploy', '-n', 'shop'],
  ['pods,secrets', '-A', '-o', 'yaml'],
  ['secrets', '-A', '-o', 'json', '--show-secrets'],
  ['pods', '-n', 'shop', '-l', 'app'],
  ['pods', '-A', '--field-selector', 'status.phase=Running', '-o', 'name'],
  ['pods', '-A', '--field-selector', 'metadata.namespace=shop,spec.nodeName!=none', '-o', 'name'],
  ['pods', '-A', '--values', 'phase'],
  ['pods', '-A', '--group-by', '.status.phase'],
  ['pods', '-A', '--count'],
  ['pods', '-A', '--where', 'STATUS != "Running"'],
  ['pods', '-A', '--eq', 'phase=running'],
  ['pods', 'no-such', '-n', 'shop'],
  ['pods', '-n', 'no-such'],
  ['pods', '--filter', 'object.'],
];

const withoutOrigin = (text: string) => text.replace(/^from serve \(pid \d+\).*\n/m, '');

/** Marks of values differ from process to process, and ages from second to second, with the blanks around them. */
const comparable = (text: string) =>
  text.replaceAll(/hmac:[0-9a-f]+/g, 'hmac:…').replaceAll(/ *(?<!\w)(\d+[dhm])*\d+[dhms](?!\w) *|AGE +/g, ' … ');

describe.skipIf(process.platform === 'win32')('serve', () => {
  it('every answer is that of a query without it: text but for ages, notices and exit code', async () => {
    await using _ = await served('pods,deploy,secrets');
    for (const words of QUESTIONS) {
      const direct = await run(['query', ...words, '--no-serve'], { env });
      const through = await run(['query', ...words], { env });
      const seen = { ...through, stdout: comparable(through.stdout), stderr: withoutOrigin(through.stderr) };
      expect({ words, ...seen }).toEqual({ words, ...direct, stdout: comparable(direct.stdout) });
      if (through.code === 0) expect(through.stderr).toMatch(/^from serve \(pid \d+\)/m);
    }
  });

  it('GET takes the flags of query as parameters, and answers with the body and a status', async () => {
    await using _ = await served('pods,secrets');
    const printed = await run(['query', 'pods', '-A', '-o', 'json', '--no-serve'], { env });
    const reply = await ask('/v1/query?type=pods');
    expect(reply).toMatchObject({ status: 200, body: printed.stdout });
    expect(reply.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(Number(reply.headers['kubectl-informer-age-ms'])).toBeGreaterThanOrEqual(0);
    const names = await run(['query', 'pods', '-n', 'shop', '--limit', '1', '-o', 'name', '--no-serve'], { env });
    expect((await ask('/v1/query?type=pods&namespace=shop&limit=1&output=name')).body).toBe(names.stdout);
    const empty = await ask('/v1/query?type=pods&eq=phase=running');
    expect(JSON.parse(String(empty.headers['kubectl-informer-notices']))[0]).toMatch(/none of \d+ pods matches/);
    expect((await ask('/v1/query?type=secrets&output=yaml')).body).toContain('hmac:');
    const refused = async (url: string) => {
      const { status, body } = await ask(url);
      return [status, JSON.parse(body).error.message];
    };
    expect(await refused('/v1/query')).toEqual([400, 'the parameter type is missing']);
    expect(await refused('/v1/query?type=pods&colour=red')).toEqual([400, 'there is no parameter "colour"']);
    expect(await refused('/v1/query?type=pods&token=x')).toEqual([400, 'there is no parameter "token"']);
    expect(await refused('/v1/query?type=pods&count=maybe')).toEqual([
      400,
      'the parameter count is true or false, not "maybe"',
    ]);
    expect(await refused('/v1/query?type=pods&eq=nod=x')).toEqual([
      400,
      expect.stringContaining('did you mean "node"'),
    ]);
    expect(await refused('/v1/query?type=pods&type=no-such&namespace=shop')).toEqual([
      404,
      expect.stringContaining('"no-such" not found'),
    ]);
    expect(await refused('/v1/query?type=nodes')).toEqual([421, expect.stringContaining('does not hold')]);
  });

  it('a port needs the token, its own name and its own origin; it shows no Secret and reads no file', async () => {
    await using cli = await served('secrets', '--listen', '127.0.0.1:0');
    const [, text, file = ''] = /listening on http:\/\/127\.0\.0\.1:(\d+);.* is in (\S+)/.exec(cli.stderr) ?? [];
    const port = Number(text);
    const token = readFileSync(file, 'utf8').trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(cli.stderr).not.toContain(token);
    const authorization = `Bearer ${token}`;
    const status = async (headers: Record<string, string>, url = '/v1/query?type=secrets') =>
      (await ask(url, { port, headers })).status;
    expect(await status({ authorization })).toBe(200);
    expect(await status({})).toBe(401);
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await status({ authorization, host: `evil.example:${port}` })).toBe(403);
    expect(await status({ authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await status({ authorization }, '/v1/query?type=secrets&show-secrets')).toBe(400);
    const template = path.join(env.XDG_RUNTIME_DIR, 'columns');
    await writeFile(template, 'NAME\n.metadata.name\n');
    const asked = (given: object) => ({
      port,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ words: ['secrets'], given: { 'all-namespaces': flag('true'), ...given } }),
    });
    const shown = await ask('/v1/query', asked({ 'show-secrets': flag('true'), output: flag('yaml') }));
    expect(shown).toMatchObject({ status: 400, body: expect.stringContaining('--show-secrets is refused on a port') });
    const read = await ask('/v1/query', asked({ output: flag(`custom-columns-file=${template}`) }));
    expect(read).toMatchObject({ status: 400, body: expect.stringContaining('would read a file of serve') });
  });

  it('no expression on a port without --show-secrets sees a value of a Secret: each sees the mark', async () => {
    await using cli = await served('secrets', '--listen', '127.0.0.1:0', '--index', 'any=.data.*');
    const [, text, file = ''] = /listening on http:\/\/127\.0\.0\.1:(\d+);.* is in (\S+)/.exec(cli.stderr) ?? [];
    const headers = { authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
    const port = Number(text);
    const value = async (url: string) => (await ask(url, { port, headers })).body.trim();
    const [secret] = JSON.parse(await value('/v1/query?type=secrets&output=json')).items;
    const [name, mark] = Object.entries(secret.data as Record<string, string>)[0] ?? [];
    expect(mark).toMatch(/^hmac:/);
    const real = JSON.parse(
      (await run(['query', 'secrets', '-A', '--no-serve', '--show-secrets', '-o', 'json'], { env })).stdout,
    ).items.find(({ metadata }: typeof secret) => metadata.uid === secret.metadata.uid).data[name as string] as string;
    expect(real).not.toBe('');
    const index = `index=${encodeURIComponent(`x=.data.${name}`)}`;
    const asking = (of: string) => [
      `filter=${encodeURIComponent(`object.?data.?${name}.orValue('').startsWith('${of.slice(0, 6)}')`)}`,
      `${index}&eq=${encodeURIComponent(`x=${of}`)}`,
      `${index}&prefix=${encodeURIComponent(`x=${of.slice(0, 6)}`)}`,
      `${index}&range=${encodeURIComponent(`x=${of}..${of}`)}`,
    ];
    for (const question of asking(real)) expect(await value(`/v1/query?type=secrets&count&${question}`)).toBe('0');
    for (const question of asking(mark as string))
      expect(Number(await value(`/v1/query?type=secrets&count&${question}`)), question).toBeGreaterThan(0);
    const counted = await value(`/v1/query?type=secrets&${index}&values=x&output=json`);
    expect(counted).toContain(mark);
    expect(counted).not.toContain(real);
    const lines = [real, mark].map((each) => JSON.stringify({ type: 'secrets', index: 'any', value: each }));
    const looked = (await ask('/v1/lookup', { port, headers, body: lines.join('\n') })).body.trim().split('\n');
    expect(looked.map((line) => JSON.parse(line).keys.length > 0)).toEqual([false, true]);
    const same = await run(
      ['query', 'secrets', '-A', '--count', '--filter', `object.?data.?${name}.orValue('') == '${real}'`],
      { env },
    );
    expect(Number(same.stdout)).toBeGreaterThan(0); // the private socket is the same user's
    expect(same.stderr).toContain('from serve');
  });

  it('an odd request is a 400, and a caller without the token is given no path', async () => {
    await using cli = await served('pods', '--listen', '127.0.0.1:0');
    const [, port, file = ''] = /listening on http:\/\/127\.0\.0\.1:(\d+);.* is in (\S+)/.exec(cli.stderr) ?? [];
    const unknown = await ask('/v1/query?type=pods', { port: Number(port) });
    expect(unknown.status).toBe(401);
    expect(unknown.body).not.toContain(path.dirname(file));
    for (const body of ['{"words":5}', 'nope', '5']) expect((await ask('/v1/types', { body })).status).toBe(400);
    expect((await ask('/v1/lookup', { body: 'null' })).body).toContain('a lookup has the texts type, index and value');
    expect((await ask('/v1/query', { body: 'null' })).status).toBe(400);
  });

  it('an answer warns of an ambiguous short name as a query without it does, once each, and not when it cannot answer', async () => {
    const lab = {
      ...APPLES,
      metadata: { name: 'deps.lab.example.com' },
      spec: {
        ...APPLES.spec,
        group: 'lab.example.com',
        names: { plural: 'deps', singular: 'dep', kind: 'Dep', shortNames: ['deploy'] },
      },
    };
    await using own = await startFixture([...OBJECTS, lab]);
    const ownEnv = { ...env, ...own.env };
    const warning = 'Warning: short name "deploy" could also match lower priority resource deps.lab.example.com\n';
    const line = ['query', 'deploy', '-n', 'shop', '-o', 'name'];
    const direct = await run([...line, '--no-serve'], { env: ownEnv });
    expect(direct.stderr).toBe(warning);
    await using cli = new Cli(['serve', 'deployments'], { env: ownEnv });
    await cli.until(({ stderr }) => /^ready: /m.test(stderr), 'ready');
    for (let times = 0; times < 2; times++) {
      const through = await run(line, { env: ownEnv });
      expect(through.stderr).toMatch(/from serve \(pid \d+\)/);
      expect({ ...through, stderr: withoutOrigin(through.stderr) }).toEqual(direct);
    }
    expect(cli.stderr).not.toContain('short name');
    const unheld = await run(['query', 'deploy,pods', '-n', 'shop', '-o', 'name'], { env: ownEnv });
    expect(unheld.stderr).toContain('so the cluster is asked');
    expect(unheld.stderr.split(warning)).toHaveLength(2);
  });

  it('a serve with --show-secrets shows Secrets on its port to those who ask for them', async () => {
    await using cli = await served('secrets', '--listen', '127.0.0.1:0', '--show-secrets');
    const [, port, file = ''] = /listening on http:\/\/127\.0\.0\.1:(\d+);.* is in (\S+)/.exec(cli.stderr) ?? [];
    const headers = { authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
    const plain = await ask('/v1/query?type=secrets', { port: Number(port), headers });
    expect(plain.body).toContain('hmac:');
    const shown = await ask('/v1/query?type=secrets&show-secrets', { port: Number(port), headers });
    expect(shown.status).toBe(200);
    expect(shown.body).not.toContain('hmac:');
  });
});

const flag = (value: string) => ({ values: [value], origin: 'flag' });
