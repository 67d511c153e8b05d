import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli, run } from '../support/cli.ts';
import { APPLES, apple, configMap, type Fixture, pod, SECRET_VALUE, startFixture } from '../support/fixture.ts';
import { findKubectl } from '../support/kubectl.ts';

interface Envelope {
  type: string;
  key: string;
  gvr: string;
  cause: string;
  changed: string[];
  seq: number;
  object: { metadata: { name: string; resourceVersion: string }; data?: Record<string, string> };
  oldObject?: unknown;
  finalStateUnknown?: boolean;
}

const PODS = { group: '', version: 'v1', resource: 'pods' };
const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');
const shell = promisify(execFile);

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const watch = (...line: string[]) => new Cli(['watch', ...line], { env: fixture.env });
const seen = (cli: Cli) => cli.events<Envelope>().map((e) => `${e.type} ${e.key}`);

describe('watch -o json', () => {
  it('shows the state, then every change, as one envelope a line with nothing else on stdout', async () => {
    await using cli = watch('pods', '-n', 'shop', '-o', 'json');
    await cli.until((c) => c.lines.length === 2, 'the initial state');
    fixture.sandbox.apply(pod('web-3'));
    await cli.until((c) => c.lines.length === 3, 'the new pod');
    const web3 = fixture.sandbox.get(PODS, 'shop/web-3') as UnknownObject;
    fixture.sandbox.apply({
      ...web3,
      spec: { ...(web3.spec as object), containers: [{ name: 'c', image: 'nginx:1.28' }] },
    });
    await cli.until((c) => c.lines.length === 4, 'the change');
    fixture.sandbox.delete(PODS, 'shop/web-3', { gracePeriodSeconds: 0 });
    await cli.until((c) => seen(c).includes('DELETED shop/web-3'), 'the deletion');
    cli.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    const events = cli.events<Envelope>();
    expect(events.slice(0, 4).map((e) => [e.type, e.key, e.cause])).toEqual([
      ['ADDED', 'shop/web-1', 'initial'],
      ['ADDED', 'shop/web-2', 'initial'],
      ['ADDED', 'shop/web-3', 'watch'],
      ['MODIFIED', 'shop/web-3', 'watch'],
    ]);
    expect(events[3]?.changed).toContain('.spec.containers[name=c].image');
    expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
    expect(Object.keys(events[0] ?? {})).toEqual(['type', 'object', 'key', 'gvr', 'cause', 'changed', 'seq', 'time']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/SIGINT.*events/);
  });

  it('merges several types and namespaces into one numbered stream', async () => {
    const { stdout, code } = await run(['watch', 'pods,deploy', '-n', 'shop,other', '--once', '-o', 'json'], {
      env: fixture.env,
    });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Envelope);
    expect(code).toBe(0);
    const pods = events.slice(0, 3).map((e) => `${e.gvr} ${e.key}`);
    expect(pods.sort()).toEqual(['v1/pods other/db-1', 'v1/pods shop/web-1', 'v1/pods shop/web-2']);
    expect(events.slice(3).map((e) => `${e.gvr} ${e.key}`)).toEqual(['apps/v1/deployments shop/web']);
    expect(events.map((e) => e.seq)).toEqual([1, 2, 3, 4]);
  });

  it('goes on where it was when the server restarts, and says so', async () => {
    await using cli = watch('configmaps', '-n', 'shop', '-o', 'json');
    await cli.until((c) => c.lines.length > 0, 'the initial state');
    await fixture.sandbox.restart({ keepHistory: true, downMs: 200 });
    fixture.sandbox.apply(configMap('after-restart', { a: '1' }));
    await cli.until((c) => seen(c).includes('ADDED shop/after-restart'), 'the change after the restart');
    expect(cli.stderr).toMatch(/configmaps.*resumed/);
    expect(seen(cli).filter((e) => e === 'ADDED shop/settings')).toHaveLength(1);
    fixture.sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/after-restart');
  });

  it('shows what was deleted while it could not watch, with finalStateUnknown', async () => {
    await using own = await startFixture();
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'json'], { env: own.env });
    await cli.until((c) => c.lines.length === 2, 'the initial state');
    const restarting = own.sandbox.restart({ keepHistory: false, downMs: 200 });
    own.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    own.sandbox.apply(pod('web-9'));
    await restarting;
    await cli.until((c) => seen(c).includes('ADDED shop/web-9'), 'the relist');
    const events = cli.events<Envelope>();
    expect(events.find((e) => e.type === 'DELETED')).toMatchObject({
      key: 'shop/web-1',
      cause: 'relist',
      finalStateUnknown: true,
    });
    expect(events.find((e) => e.key === 'shop/web-9')).toMatchObject({ type: 'ADDED', cause: 'relist' });
    expect(cli.stderr).toMatch(/pods.*relisted/);
    cli.kill('SIGTERM');
    expect((await cli.ended()).stderr).toMatch(/1 relist/);
  });

  it('ends with 4 under --strict when continuity is lost', async () => {
    await using own = await startFixture();
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'json', '--strict'], { env: own.env });
    await cli.until((c) => c.lines.length === 2, 'the initial state');
    const restarting = own.sandbox.restart({ keepHistory: false, downMs: 200 });
    own.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    await restarting;
    expect((await cli.ended()).code).toBe(4);
  });

  it('never shows a Secret’s value, yet shows that it changed', async () => {
    const secret = { group: '', version: 'v1', resource: 'secrets' };
    await using cli = new Cli(['watch', 'secrets', '-n', 'shop', '-o', 'json', '--old', '-v', '9'], {
      env: fixture.env,
    });
    await cli.until((c) => c.lines.length === 1, 'the initial state');
    fixture.sandbox.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'shop' },
      data: { password: Buffer.from(`${SECRET_VALUE}-2`).toString('base64') },
    });
    await cli.until((c) => c.lines.length === 2, 'the change');
    const [before, after] = cli.events<Envelope>();
    expect(before?.object.data?.password).toMatch(/^hmac:[0-9a-f]{8}$/);
    expect(after?.object.data?.password).not.toBe(before?.object.data?.password);
    expect(after?.changed).toEqual(['.data.password']);
    for (const plain of [
      SECRET_VALUE,
      Buffer.from(SECRET_VALUE).toString('base64').slice(0, 20),
      fixture.sandbox.token,
    ]) {
      expect(cli.stdout + cli.stderr).not.toContain(plain);
    }
    expect(
      (await run(['watch', 'secrets', '-n', 'shop', '--once', '-o', 'json', '--show-secrets'], { env: fixture.env }))
        .stdout,
    ).toContain('bWFya2Vy');
    expect(secret.resource).toBe('secrets');
  });
});

describe('watch as a table', () => {
  it('prints the server’s columns behind EVENT, aligned', async () => {
    const { stdout, code } = await run(['watch', 'pods', '-n', 'shop', '--once'], { env: fixture.env });
    const [head, first] = stdout.split('\n');
    expect(code).toBe(0);
    expect(head).toMatch(/^EVENT +NAME +READY +STATUS +RESTARTS +AGE *$/);
    expect(first).toMatch(/^ADDED +web-1 +/);
    expect(head?.indexOf('NAME')).toBe(first?.indexOf('web-1'));
  });

  it('leads with the namespace over all namespaces, and shows more with -o wide', async () => {
    const { stdout } = await run(['watch', 'pods', '-A', '--once', '-o', 'wide'], { env: fixture.env });
    expect(stdout.split('\n')[0]).toMatch(/^EVENT +NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +/);
  });

  it('prefixes names of several types with the type', async () => {
    const { stdout } = await run(['watch', 'pods,deployments', '-n', 'shop', '--once'], { env: fixture.env });
    expect(stdout).toMatch(/ADDED +pod\/web-1 /);
    expect(stdout).toMatch(/ADDED +deployment\.apps\/web /);
  });

  it('says that nothing is there, on stderr, and goes on', async () => {
    await using cli = watch('pods', '-n', 'empty');
    await cli.until((c) => c.stderr.includes('No resources found in empty namespace.'), 'the notice');
    expect(cli.child.exitCode).toBeNull();
    expect(cli.stdout).toBe('');
  });
});

describe('the end of a watch', () => {
  it('is quiet and 0 when the reader has enough', async () => {
    const env = { ...process.env, ...fixture.env };
    const script = `"${process.execPath}" "${RUN}" watch pods -A --sandbox -o json | head -n 3; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await shell('bash', ['-c', script], { env });
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toBe('0');
    expect(stderr).toBe('');
  });

  it.each([
    ['--until false', /^ended by its reader after \d+s: .*\n/m],
    ['--for=delete', /^ended by its reader after /m],
    ['--limit 100000', /^ended by its reader after /m],
  ])('is 141 and reported when the reader leaves before %s has come', async (flags, reported) => {
    const script = `"${process.execPath}" "${RUN}" watch pods -A --sandbox -o json ${flags} | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await shell('bash', ['-c', script], { env: { ...process.env, ...fixture.env } });
    expect(stdout.trim().split('\n').at(-1)).toBe('141');
    expect(stderr).toMatch(reported);
  });

  it('comes with --limit after that many events, and with 3 when time runs out first', async () => {
    const limited = await run(['watch', 'pods', '-n', 'shop', '-o', 'name', '--limit', '1'], { env: fixture.env });
    expect(limited).toMatchObject({ code: 0, stdout: 'pod/web-1\n' });
    const late = await run(['watch', 'pods', '-n', 'shop', '-o', 'name', '--limit', '99', '--timeout', '300ms'], {
      env: fixture.env,
    });
    expect(late.code).toBe(3);
    const open = await run(['watch', 'pods', '-n', 'shop', '-o', 'name', '--timeout', '300ms'], { env: fixture.env });
    expect(open.code).toBe(0);
  });

  it('does not come from one object that a template fails on: that one is left out, reported once, and counted', async () => {
    const line = ['watch', 'pods', '-n', 'shop', '--timeout', '1500ms', '-o'];
    const [path, jq] = await Promise.all(
      ['jsonpath={.spec.containers[7].name}', 'jq=.object.spec.nope.x[]'].map((format) =>
        run([...line, format], { env: fixture.env }),
      ),
    );
    expect(path).toMatchObject({ code: 0, stdout: '' });
    expect(
      path?.stderr.match(
        /^-o jsonpath: Pod shop\/web-1: array index out of bounds.*; it is left out \(reported once\)$/gm,
      ),
    ).toHaveLength(1);
    expect(path?.stderr).toContain('2 expression errors');
    expect(jq).toMatchObject({ code: 0, stdout: '' });
    expect(jq?.stderr.match(/left out \(reported once\)/g)).toHaveLength(1);
  });

  it('gives a reader that starts late every byte', async () => {
    const data = { text: 'x'.repeat(50_000) };
    await using own = await startFixture(Array.from({ length: 60 }, (_, i) => configMap(`big-${i}`, data, 'default')));
    const script = `"${process.execPath}" "${RUN}" watch configmaps -n default -o json --limit 60 | (sleep 1; wc -l)`;
    const { stdout } = await shell('bash', ['-c', script], { env: { ...process.env, ...own.env } });
    expect(Number(stdout)).toBe(60);
  });

  it.skipIf(process.platform !== 'linux')('is an error when what it prints cannot be kept', async () => {
    for (const command of ['watch pods -n shop --once', 'query pods -n shop -o json', 'version']) {
      const failed = shell('bash', ['-c', `"${process.execPath}" "${RUN}" ${command} > /dev/full`], {
        env: { ...process.env, ...fixture.env },
      });
      await expect(failed).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error: cannot write to stdout: ENOSPC.*\n$/),
      });
    }
  });

  it('is an error with a next step when there is no server', async () => {
    const { code, stderr, stdout } = await run(['watch', 'pods', '--server', 'http://127.0.0.1:1', '--timeout', '5s']);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: .*127\.0\.0\.1:1/m);
    expect(stderr).toMatch(/^hint: /m);
  });

  it('is an error with a next step when there is no kubeconfig', async () => {
    const { code, stderr } = await run(['watch', 'pods'], { env: { KUBECONFIG: '/nonexistent/config' } });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^error: .+\nhint: .+--sandbox/m);
  });
});

describe('a type defined at run time', () => {
  it('can be watched and queried by an index on its spec', async () => {
    fixture.sandbox.apply([APPLES, apple('fuji', 'red'), apple('granny', 'green')]);
    await using cli = watch('myapples', '-n', 'shop', '-o', 'json');
    await cli.until((c) => c.lines.length === 2, 'both apples');
    fixture.sandbox.apply(apple('fuji', 'yellow'));
    await cli.until((c) => c.lines.length === 3, 'the change');
    expect(cli.events<Envelope>()[2]).toMatchObject({ type: 'MODIFIED', key: 'shop/fuji', changed: ['.spec.color'] });
    const table = await run(['watch', 'ma', '-n', 'shop', '--once'], { env: fixture.env });
    expect(table.stdout).toMatch(/^EVENT +NAME +COLOR +AGE/);
    const query = await run(
      ['query', 'ma', '-n', 'shop', '--index', 'color=.spec.color', '--eq', 'color=green', '-o', 'name'],
      {
        env: fixture.env,
      },
    );
    expect(query.stdout).toBe('myapple.stable.example.com/granny\n');
  });
});

describe('as a plugin of real kubectl', () => {
  it('streams JSON for jq', async ({ skip }) => {
    const kubectl = findKubectl();
    if ('missing' in kubectl) return skip(`no kubectl here: ${kubectl.missing}`);
    const bin = path.join(fixture.folder, 'bin');
    await mkdir(bin, { recursive: true });
    await symlink(RUN, path.join(bin, 'kubectl-informer'));
    const env = { ...process.env, ...fixture.env, PATH: `${bin}:${path.dirname(kubectl.path)}:${process.env.PATH}` };
    const { stdout } = await shell(
      'kubectl',
      ['informer', 'watch', 'pods', '-n', 'shop', '-o', 'json', '--limit', '2'],
      { env },
    );
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Envelope);
    expect(events.map((e) => [e.type, e.key])).toEqual([
      ['ADDED', 'shop/web-1'],
      ['ADDED', 'shop/web-2'],
    ]);
  });
});
