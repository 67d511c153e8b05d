import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/testing/index.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';
import { skipped } from '../support/skipped.ts';

const kubectl = findKubectl();
const missing = 'missing' in kubectl ? kubectl.missing : undefined;
const MARKER = 'mArKeR-7f3a-oF-a-SeCrEt-vAlUe';

/**
 * The forms in which a text may show: the text itself, and the part of its base64 that does not depend on the bytes
 * around it, at each of the three alignments.
 */
function disguises(text: string): string[] {
  const encoded = [0, 1, 2].map((offset) => {
    const base64 = Buffer.from('_'.repeat(offset) + text)
      .toString('base64')
      .replace(/=+$/, '');
    return base64.slice(offset === 0 ? 0 : offset + 1, -2);
  });
  return [
    text,
    ...encoded,
    ...encoded.map((each) => Buffer.from(each).toString('base64').slice(0, -3)),
    Buffer.from(text).toString('hex'),
  ];
}

const manifest = (more: string) => `
apiVersion: v1
kind: Secret
metadata: { name: login, namespace: shop, labels: { app: web } }
type: Opaque
stringData: { password: "${MARKER}", url: "https://u:${MARKER}@db/${more}", nested: '{"a":"${Buffer.from(MARKER).toString('base64')}"}' }
`;

let fixture: Fixture;
async function apply(more: string): Promise<void> {
  if ('missing' in kubectl) return;
  const { code, stderr } = await runKubectl(kubectl.path, ['apply', '-f', '-'], {
    input: manifest(more),
    env: fixture.env,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}
beforeAll(async () => {
  fixture = await startFixture([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
  await apply('first');
});
afterAll(() => fixture[Symbol.asyncDispose]());

const b64 = Buffer.from(MARKER).toString('base64');

/** Every way of looking at a Secret, and of failing at it. */
const LOOKS: readonly string[][] = [
  [],
  ['-o', 'wide', '--show-labels', '-L', 'app'],
  ['-o', 'json', '--old', '--markers'],
  ['-o', 'yaml', '--old', '--show-managed-fields'],
  ['-o', 'name'],
  ['-o', 'diff'],
  ['-o', 'changes'],
  ['-o', 'changes', '--changed', '.data.url'],
  ['-o', 'jsonpath={.data.password}{"\\n"}{.data.*}{"\\n"}'],
  ['-o', 'jsonpath={.metadata.annotations}{"\\n"}{@}{"\\n"}'],
  ['-o', 'custom-columns=A:.metadata.annotations,D:.data,P:.data.password'],
  ['-o', 'jq=[.object.data[], .object.metadata.annotations]'],
  ['-o', 'jq=.object.data.password | error'],
  ['-o', 'jq=.object.data.password | tonumber'],
  ['-o', 'jsonpath={.data.password.x[0]}'],
  ['--where', 'TYPE == "Opaque" && int(NAME) > 3'],
  ['--filter', 'int(object.data.password) > 3'],
  ['--filter', 'object.data.password > 3'],
  ['--filter', 'timestamp(object.data.url) < now'],
  ['--filter', 'object.data[object.data.password] == "x"'],
  ['--filter', 'quantity(object.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]).sign() == 1'],
  ['--filter', `object.data.password.startsWith("${b64.slice(0, 8)}")`, '-o', 'json'],
  ['--until', 'duration(object.data.password) > duration("1s")'],
  ['--for', 'jsonpath={.data.password}=x'],
  ['--for', 'jsonpath={.data}=x'],
  ['--sort-by', '.data.password', '--ignore-changes', '.data.url', '-o', 'json'],
];

describe.skipIf(missing)(`a Secret made by kubectl apply${skipped(missing)}`, () => {
  it('is watched in every way without its values ever being printed, as text, base64 or hex, at -v 9 too', async () => {
    const line = ['watch', 'secrets', '-n', 'shop', '-v', '9', '--timeout', '30s'];
    const clis = LOOKS.map((flags) => new Cli([...line, ...flags], { env: fixture.env }));
    for (const cli of clis)
      await Promise.race([
        cli.until((c) => /watch=true|watch=1/.test(c.stderr), 'the watch').catch(() => {}),
        cli.ended(),
      ]);
    await apply('second');
    await apply('third');
    const changes = clis[LOOKS.findIndex((look) => look.join(' ') === '-o changes')];
    await changes?.until(
      (c) => c.stdout.includes('MODIFIED') && c.stdout.split('.data.url').length === 3,
      'both changes',
    );
    await haveHeard(clis);
    for (const cli of clis) cli.kill('SIGTERM');
    const told: string[] = [];
    for (const [i, cli] of clis.entries()) {
      const { stdout, stderr } = await cli.ended();
      for (const disguise of disguises(MARKER))
        if ((stdout + stderr).includes(disguise)) told.push(`${LOOKS[i]?.join(' ')}: ${disguise}`);
    }
    expect(told).toEqual([]);
    expect(changes?.stdout).toMatch(
      /MODIFIED +shop\/login +\.data\.url: hmac:[0-9a-f]{8} → hmac:[0-9a-f]{8} {2}\(kubectl-client-side-apply\)/,
    );
  });

  it('shows equal values as equal within a run, and not from run to run', async () => {
    const jsonpath = ['watch', 'secrets', '-n', 'shop', '--once', '-o', 'jsonpath={.data.password}'];
    const [one, two] = await Promise.all([run(jsonpath, { env: fixture.env }), run(jsonpath, { env: fixture.env })]);
    expect(one.stdout).toMatch(/^hmac:[0-9a-f]{8}$/m);
    expect(one.stdout).not.toBe(two.stdout);
  });

  it('is shown as it is with --show-secrets', async () => {
    const shown = await run(['watch', 'secrets', '-n', 'shop', '--once', '-o', 'json', '--show-secrets'], {
      env: fixture.env,
    });
    expect(shown.stdout).toContain(b64);
    expect(shown.stdout).toContain(MARKER); // in the last-applied annotation
  });

  it.each([
    ['query', ['-o', 'json']],
    ['query', ['-o', 'yaml']],
    ['query', ['--index', 'p=.data.password', '--values', 'p']],
    ['query', ['--sort-by', '.data.password', '-o', 'jsonpath={.items[*].data}']],
  ])('is not printed by %s %j', async (command, flags) => {
    const { stdout, stderr } = await run([command, 'secrets', '-n', 'shop', '-v', '9', ...flags], { env: fixture.env });
    expect(disguises(MARKER).filter((each) => (stdout + stderr).includes(each))).toEqual([]);
    expect(stdout).toContain('hmac:');
  });

  it('is not printed by a reconcile run that shows what it would do', async () => {
    const copy = '{"actions":[{"patch":{"data":{"copy":"{{.data.password}}"}}}]}';
    await using cli = new Cli(['reconcile', 'secrets', '-n', 'shop', '-v', '9', '--exec', `echo ${copy}`], {
      env: fixture.env,
    });
    await cli.until((c) => (c.stdout + c.stderr).includes('copy'), 'the action');
    cli.kill('SIGTERM');
    const { stdout, stderr } = await cli.ended();
    expect(disguises(MARKER).filter((each) => (stdout + stderr).includes(each))).toEqual([]);
  });
});

/**
 * Resolves when all that still run have had the Secret's last change, shown or not: each says so when it resumes a
 * watch that broke.
 */
async function haveHeard(clis: readonly Cli[]): Promise<void> {
  const { sandbox } = fixture;
  const version = Number(
    sandbox.get({ group: '', version: 'v1', resource: 'secrets' }, 'shop/login')?.metadata.resourceVersion,
  );
  sandbox.requests.clear();
  await sandbox.restart({ keepHistory: true });
  const versions = () =>
    sandbox.requests
      .matching('watch=')
      .map(({ path }) => new URL(path, 'http://x').searchParams.get('resourceVersion'));
  const running = () => clis.filter(({ child }) => child.exitCode === null && child.signalCode === null).length;
  await eventually(() => versions().filter((at) => Number(at) >= version).length >= running(), { timeoutMs: 15_000 });
}
