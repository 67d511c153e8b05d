import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HealthFinding } from '../../src/doctor/finding.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

interface Report {
  readonly version: string;
  readonly server: string | null;
  readonly context: string | null;
  readonly namespaces: readonly string[];
  readonly healthy: boolean;
  readonly counts: Record<string, number>;
  readonly findings: readonly HealthFinding[];
}

const KUBECTL = findKubectl();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Time for each check on a busy machine. */
const PATIENT = ['--request-timeout', '60s'];

/** What the doctor finds, with its exit code. */
async function findings(args: readonly string[], env: NodeJS.ProcessEnv = fixture.env) {
  const { code, stdout, stderr } = await run(['doctor', ...PATIENT, ...args, '-o', 'json'], { env });
  const report = JSON.parse(stdout || '{}') as Report;
  const of = (id: string, what?: string) =>
    report.findings.find((each) => each.id === id && (what === undefined || each.of === what));
  const statuses = (status: string) => report.findings.filter((each) => each.status === status).map(({ id }) => id);
  return { code, stdout, stderr, report, of, statuses };
}

async function written(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Findings about the machine that runs the tests. */
const OF_MACHINE = /^(machine|plugin)\./;

describe('on a healthy cluster', () => {
  it('everything is fine, in the shape that docs/doctor.md describes, and it ends with 0', async () => {
    const { code, stderr, report, statuses } = await findings(['-n', 'shop', 'pods', 'deploy']);
    expect({ code, stderr, problems: statuses('problem') }).toEqual({ code: 0, stderr: '', problems: [] });
    expect(statuses('warning').filter((id) => !OF_MACHINE.test(id))).toEqual([]);
    expect(Object.keys(report)).toEqual([
      'version',
      'server',
      'context',
      'namespaces',
      'healthy',
      'counts',
      'findings',
    ]);
    expect(report).toMatchObject({
      server: fixture.sandbox.url,
      context: 'sandbox',
      namespaces: ['shop'],
      healthy: true,
      counts: { problem: 0, skipped: 0 },
    });
    for (const finding of report.findings)
      expect(Object.keys(finding)).toEqual(['id', 'of', 'status', 'found', 'fix', 'ms']);
    const ids = [...new Set(report.findings.map(({ id }) => id))];
    const page = await readFile(path.resolve(import.meta.dirname, '../../docs/doctor.md'), 'utf8');
    const described = [...page.matchAll(/^\| `(\w+\.[\w-]+)` \|/gm)].map(([, id]) => id);
    expect(ids.toSorted()).toEqual(described.toSorted());
  }, 120_000);

  it('prints groups with one line a check, and with -o wide their ids and times', async () => {
    const { code, stdout } = await run(['doctor', ...PATIENT, '-n', 'shop'], { env: fixture.env });
    expect(code).toBe(0);
    const headings = stdout.split('\n').filter((line) => /^\w/.test(line));
    expect(headings).toEqual([
      'This machine',
      'The plugin',
      'Kubeconfig',
      'Login',
      'Server',
      'Type pods',
      "This program's files",
      'Requests of this checkup',
      expect.stringMatching(/^\d+ ok, \d+ warnings?, 0 problems, 0 skipped$/),
    ]);
    expect(stdout).toMatch(/^ {2}✓ list {14}a list works: 2 objects in shop$/m);
    const wide = await run(['doctor', ...PATIENT, '-n', 'shop', '-o', 'wide'], { env: fixture.env });
    expect(wide.stdout).toMatch(/^ {2}✓ list {14}a list works: 2 objects in shop {2}\[type\.list, \d+ ms\]$/m);
  }, 120_000);

  it('has colours by the rules of all commands', async () => {
    const coloured = await run(['doctor', ...PATIENT, '--color', 'always'], { env: fixture.env });
    expect(coloured.stdout).toContain('\u001b[32m✓\u001b[39m');
    const plain = await run(['doctor', ...PATIENT], { env: fixture.env });
    expect(plain.stdout).not.toContain('\u001b');
  }, 120_000);

  it('writes nothing to the cluster, and reviews are its only POSTs', async () => {
    const before = fixture.sandbox.resourceVersion;
    const count = fixture.sandbox.requests.size;
    await findings(['-A', 'secrets', 'nodes']);
    expect(fixture.sandbox.resourceVersion).toBe(before);
    const sent = [...fixture.sandbox.requests].slice(count).filter(({ method }) => method !== 'GET');
    expect(new Set(sent.map(({ method, path: where }) => `${method} ${where.split('?')[0]}`))).toEqual(
      new Set([
        'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
        'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      ]),
    );
  }, 120_000);

  it('says who divides shards, with the feature off and on', async () => {
    const off = await findings(['-n', 'shop']);
    expect(off.of('type.shards')?.found).toMatch(/^the client divides/);
    await using sandbox = await Sandbox.start({ featureGates: { ShardedListAndWatch: true } });
    const on = await findings([], { KUBECONFIG: await written('sharding', sandbox.kubeconfig()) });
    expect(on.of('type.shards')).toMatchObject({
      status: 'ok',
      found: 'the server divides (ShardedListAndWatch)',
    });
  }, 120_000);
});

describe('a person without rights', () => {
  it('gets the missing verbs, and the commands that give them', async () => {
    await using sandbox = await Sandbox.start({ rbac: true });
    sandbox.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
    const env = { KUBECONFIG: await written('ann', sandbox.kubeconfig({ token: sandbox.tokenFor({ user: 'ann' }) })) };
    const { code, of, statuses } = await findings(['-n', 'shop'], env);
    expect(code).toBe(1);
    expect(statuses('problem')).toEqual(['type.access']);
    const fix =
      'kubectl create role list-watch-pods -n shop --verb=list,watch --resource=pods && kubectl create rolebinding list-watch-pods -n shop --role=list-watch-pods --user=ann';
    expect(of('type.access')).toMatchObject({
      found: 'you may not list and watch in shop',
      fix: `an administrator runs: ${fix}`,
    });
    expect(of('type.list')).toMatchObject({ status: 'skipped', found: 'type.access failed' });
    expect(of('server.namespace')).toMatchObject({ status: 'skipped', found: 'you may not read namespaces' });
  }, 120_000);

  it.skipIf('missing' in KUBECTL)(
    'has the rights after real kubectl ran those commands, for a service account in all namespaces too',
    async () => {
      await using sandbox = await Sandbox.start({ rbac: true });
      const token = sandbox.tokenFor({ user: 'system:serviceaccount:default:bot' });
      const env = { KUBECONFIG: await written('bot', sandbox.kubeconfig({ token })) };
      const admin = { KUBECONFIG: await written('admin', sandbox.kubeconfig()) };
      for (const scope of [['-n', 'default'], ['-A']]) {
        const before = await findings([...scope, 'deployments'], env);
        expect(before.of('type.access')?.status).toBe('problem');
        const fix = before.of('type.access')?.fix?.replace('an administrator runs: ', '') ?? '';
        expect(fix).toContain('--serviceaccount=default:bot');
        for (const command of fix.split(' && '))
          expect(
            await runKubectl('path' in KUBECTL ? KUBECTL.path : '', command.split(' ').slice(1), { env: admin }),
          ).toMatchObject({ code: 0 });
        const after = await findings([...scope, 'deployments'], env);
        expect({ code: after.code, list: after.of('type.list')?.status }).toEqual({ code: 0, list: 'ok' });
      }
    },
    180_000,
  );

  it('a refused token is a problem of the login; nothing that needs it is tried', async () => {
    await using sandbox = await Sandbox.start({ tokenLifetimeMs: 1 });
    const kubeconfig = sandbox.kubeconfig();
    sandbox.expireToken();
    const env = { KUBECONFIG: await written('expired', kubeconfig) };
    const { code, of, statuses, stdout, stderr } = await findings([], env);
    expect(code).toBe(1);
    expect(statuses('problem')).toEqual(['server.user']);
    expect(of('server.user')?.fix).toContain('log in again');
    expect(of('server.discovery')).toMatchObject({ status: 'skipped', found: 'server.user failed' });
    expect(stdout + stderr).not.toContain(sandbox.token);
  }, 120_000);
});

describe('without a usable server', () => {
  it('a server that is down is one problem; the rest is skipped with it as the reason', async () => {
    const { code, of, statuses, report } = await findings(['--server', 'http://127.0.0.1:1', 'pods', 'nodes']);
    expect({ code, healthy: report.healthy, problems: statuses('problem') }).toEqual({
      code: 1,
      healthy: false,
      problems: ['server.reach'],
    });
    expect(of('server.reach')?.found).toContain('127.0.0.1:1 was refused');
    const skipped = report.findings.filter(({ status }) => status === 'skipped');
    expect(skipped.map(({ found }) => found)).toEqual(skipped.map(() => 'server.reach failed'));
    expect(skipped.map(({ id, of }) => `${id} ${of ?? ''}`)).toEqual(
      expect.arrayContaining(['type.found pods', 'type.found nodes', 'requests.throttled ']),
    );
  }, 60_000);

  /** A kubeconfig that leads to a server that takes requests and does not answer them. */
  async function silent(sandbox: Sandbox) {
    sandbox.faults.add({ fault: { kind: 'delay', ms: 600_000 }, times: Number.POSITIVE_INFINITY });
    return { KUBECONFIG: await written('silent', sandbox.kubeconfig()) };
  }

  it('a server that never answers is reported as timed out', async () => {
    await using sandbox = await Sandbox.start();
    const { code, of, statuses } = await findings(['--request-timeout', '2s'], await silent(sandbox));
    expect({ code, problems: statuses('problem') }).toEqual({ code: 1, problems: ['server.reach'] });
    expect(of('server.reach')).toMatchObject({ found: expect.stringContaining('timed out'), fix: expect.any(String) });
  }, 60_000);

  it('Ctrl-C ends it at once, with 130', async () => {
    await using sandbox = await Sandbox.start();
    await using cli = new Cli(['doctor', '--request-timeout', '600s'], { env: await silent(sandbox) });
    await cli.until(({ stdout }) => stdout.includes('expiry'), 'the login');
    cli.kill('SIGINT');
    expect(await cli.ended()).toMatchObject({ code: 130, stderr: '' });
  }, 60_000);

  it('no kubeconfig, a broken one and an unknown context are named, with the fix', async () => {
    const gone = await findings([], { KUBECONFIG: path.join(fixture.folder, 'gone') });
    expect(gone.code).toBe(1);
    expect(gone.of('kubeconfig.files')).toMatchObject({
      status: 'problem',
      found: `no kubeconfig: ${path.join(fixture.folder, 'gone')} (does not exist)`,
      fix: expect.stringContaining('--kubeconfig'),
    });
    expect(gone.of('type.found')).toMatchObject({ status: 'skipped', found: 'kubeconfig.files failed' });
    const broken = await findings([], { KUBECONFIG: await written('broken', 'users: [{token: hush-hush') });
    expect(broken.of('kubeconfig.files')).toMatchObject({
      status: 'problem',
      found: expect.stringContaining('broken'),
      fix: expect.stringMatching(/./),
    });
    expect(broken.stdout).not.toContain('hush');
    const context = await findings(['--context', 'sandbx']);
    expect(context.of('kubeconfig.context')).toMatchObject({
      status: 'problem',
      found: 'context "sandbx" does not exist',
      fix: expect.stringContaining('did you mean "sandbox"?'),
    });
  }, 120_000);

  it('a kubeconfig that others can read, and one missing in the list, are warnings', async () => {
    const open = await written('open', fixture.sandbox.kubeconfig());
    await chmod(open, 0o644);
    const list = [open, path.join(fixture.folder, 'gone')].join(path.delimiter);
    const { code, of } = await findings(['-n', 'shop'], { KUBECONFIG: list });
    expect(code).toBe(0);
    expect(of('kubeconfig.private')).toMatchObject({ status: 'warning', fix: `chmod 600 ${open}` });
    expect(of('kubeconfig.files')).toMatchObject({ status: 'warning', fix: expect.stringContaining('KUBECONFIG') });
    expect(of('kubeconfig.context')?.found).toContain(`(current-context of ${open})`);
  }, 60_000);
});

describe('a server that differs', () => {
  it('a clock that is wrong by 5 minutes is a warning, with the difference', async () => {
    await using sandbox = await Sandbox.start();
    sandbox.skewClock(300_000);
    const { code, of } = await findings([], { KUBECONFIG: await written('skewed', sandbox.kubeconfig()) });
    expect(code).toBe(0);
    expect(of('server.clock')).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/^this machine is (2[6-9]|3[0-3])\ds \(\w+\) behind the server/),
      fix: expect.any(String),
    });
  }, 60_000);

  it('a stream that is kept back is reported as timed out, with the proxy as the likely cause', async () => {
    await using sandbox = await Sandbox.start();
    sandbox.faults.add({
      fault: { kind: 'stall' },
      match: { path: 'sendInitialEvents=true' },
      times: Number.POSITIVE_INFINITY,
    });
    const env = { KUBECONFIG: await written('stalled', sandbox.kubeconfig()) };
    const { code, of } = await findings(['--request-timeout', '6s'], env);
    expect(code).toBe(1);
    expect(of('type.streaming-list')).toMatchObject({
      status: 'problem',
      found: 'timed out: no answer within 6s',
      fix: expect.stringContaining('proxy'),
    });
  }, 60_000);

  it('an unknown type is a problem with what may have been meant; the others are examined', async () => {
    const { code, of } = await findings(['podz', 'nodes']);
    expect(code).toBe(1);
    expect(of('type.found', 'podz')).toMatchObject({ status: 'problem', fix: expect.stringContaining('pods') });
    expect(of('type.list', 'nodes')?.status).toBe('ok');
  }, 60_000);

  it('a namespace that does not exist is a warning', async () => {
    const { code, of } = await findings(['-n', 'shp']);
    expect(code).toBe(0);
    expect(of('server.namespace', 'shp')).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('kubectl create namespace shp'),
    });
  }, 60_000);

  it('requests that were answered with 429 are counted', async () => {
    await using sandbox = await Sandbox.start();
    sandbox.faults.add({
      fault: { kind: 'status', code: 429, retryAfterSeconds: 1 },
      match: { path: '/version' },
    });
    const { of } = await findings([], { KUBECONFIG: await written('busy', sandbox.kubeconfig()) });
    expect(of('requests.throttled')).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/^1 of \d+ answers were 429 /),
      fix: expect.stringContaining('--qps'),
    });
  }, 60_000);
});

it('a login plugin is named with the expiry that it gives, and its token is not shown', async () => {
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: fixture.sandbox.token, expirationTimestamp: new Date(Date.now() + 3600_000).toISOString() },
  };
  const printed = await written('credential.json', JSON.stringify(credential));
  const user = {
    exec: { apiVersion: credential.apiVersion, command: 'cat', args: [printed], interactiveMode: 'Never' },
  };
  const ca = Buffer.from(fixture.sandbox.caPem).toString('base64');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'plugged',
    contexts: [{ name: 'plugged', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    clusters: [{ name: 'c', cluster: { server: fixture.sandbox.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user }],
  };
  const { code, of, stdout } = await findings([], {
    KUBECONFIG: await written('plugged', JSON.stringify(kubeconfig)),
  });
  expect(code).toBe(0);
  expect(of('login.kind')?.found).toBe('login plugin cat of user "u"');
  expect(of('login.expiry')?.found).toMatch(/^the login expires at \S+, in (59|60)m\S*; renewed by itself$/);
  expect(stdout).not.toContain(fixture.sandbox.token);
}, 60_000);

it('a running serve is named with its age', async () => {
  const runtime = path.join(fixture.folder, 'run');
  await mkdir(runtime, { mode: 0o700 });
  const env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  await using serve = new Cli(['serve', 'pods', '-n', 'shop'], { env });
  await serve.until(({ stderr }) => /synced|holds|ready|serving/i.test(stderr), 'the serve');
  const { of } = await findings(['-n', 'shop'], env);
  expect(of('own.serve')).toMatchObject({
    status: 'ok',
    found: expect.stringMatching(new RegExp(`^pid ${serve.child.pid}, version \\S+, started \\w+ ago$`)),
  });
  expect(of('own.sockets')?.found).toContain(runtime);
}, 60_000);

it('finds itself on PATH, as kubectl would', async () => {
  const bin = path.join(fixture.folder, 'bin');
  await mkdir(bin);
  await symlink(path.resolve(import.meta.dirname, '../../bin/run.js'), path.join(bin, 'kubectl-informer'));
  const { of } = await findings(['-n', 'shop'], { ...fixture.env, PATH: bin });
  expect(of('plugin.path')).toMatchObject({
    status: 'ok',
    found: expect.stringMatching(/^kubectl informer runs \S+\/bin\/kubectl-informer \(version \d+\.\d+\.\d+\)$/),
  });
}, 60_000);

it.each([
  [['pod/web-1'], 'doctor takes types, and "pod/web-1" is none'],
  [['pods,'], 'doctor takes types, and "" is none'],
  [['-n', 'Shop'], 'Shop'],
  [['-o', 'yaml'], 'expected one of table, wide, json'],
])('%j is refused with 2 before anything is asked', async (args, text) => {
  fixture.sandbox.requests.clear();
  const { code, stdout, stderr } = await run(['doctor', ...args], { env: fixture.env });
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(text) });
  expect(fixture.sandbox.requests.matching('/')).toEqual([]);
});
