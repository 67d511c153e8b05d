import { writeFileSync } from 'node:fs';
import { chmod, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { APPLES, apple, configMap, type Fixture, SECRET_VALUE, startFixture } from '../support/fixture.ts';

const APPLE_TYPE = { group: 'stable.example.com', version: 'v1', resource: 'myapples' };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply([APPLES, apple('fuji', 'red')]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

async function hook(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

const TYPESCRIPT_HOOK = `
import { formatGvr } from 'kubectl-informer';
interface Apple { metadata: { name: string; labels?: Record<string, string> }; spec: { color: string } }
export default async function reconcile(ctx: { key: string; object: Apple | null; log: { info(m: string, f?: object): void } }) {
  ctx.log.info('looking', { gvr: formatGvr({ group: '', version: 'v1', resource: 'pods' }), color: ctx.object?.spec.color ?? 'gone' });
  if (!ctx.object || ctx.object.metadata.labels?.color === ctx.object.spec.color) return;
  return { actions: [{ patch: { metadata: { labels: { color: ctx.object.spec.color } } } }] };
}
`;

describe('reconcile', () => {
  it('runs a TypeScript hook on a custom type and carries out what it asks for', async () => {
    const file = await hook('label.ts', TYPESCRIPT_HOOK);
    await using cli = new Cli(['reconcile', 'myapples', '-n', 'shop', '--hook', file, '--allow-write'], { env: fixture.env });
    await cli.until(() => labelOf('fuji') === 'red', 'the label');
    fixture.sandbox.apply({ ...apple('fuji', 'yellow'), metadata: { name: 'fuji', namespace: 'shop', labels: { color: 'red' } } });
    await cli.until(() => labelOf('fuji') === 'yellow', 'the new label');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it('writes nothing unless allowed, and says so', async () => {
    fixture.sandbox.apply(apple('granny', 'green'));
    const file = await hook('label2.ts', TYPESCRIPT_HOOK);
    await using cli = new Cli(['reconcile', 'myapples', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until((c) => (c.stdout + c.stderr).includes('granny'), 'the action shown');
    await cli.until((c) => c.stderr.includes('--allow-write'), 'the notice');
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
    expect(labelOf('granny')).toBeUndefined();
  });

  it('runs an executable with the request on stdin, retries 75, parks 65, stops at 64', async () => {
    const log = path.join(fixture.folder, 'calls');
    const retrying = await hook(
      'retry.sh',
      `#!/bin/sh\ncat > /dev/null\necho "$INFORMER_KEY $INFORMER_ATTEMPT" >> ${log}\n[ "$(grep -c web-1 ${log})" -ge 3 ] || exit 75\n`,
    );
    await using cli = new Cli(
      ['reconcile', 'pods', '-n', 'shop', '--hook', retrying, '-l', 'app=web', '--field-selector', 'metadata.name=web-1', '-v', '2'],
      {
        env: fixture.env,
      },
    );
    await cli.until((c) => c.stderr.split('web-1').length > 2, 'retries');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
    const stopping = await hook('stop.sh', '#!/bin/sh\nexit 64\n');
    expect((await run(['reconcile', 'pods', '-n', 'shop', '--hook', stopping], { env: fixture.env })).code).toBe(1);
  });

  it.each([
    ['a kubeconfig named by a flag', (f: Fixture) => ({ flags: ['--kubeconfig', f.env.KUBECONFIG], env: {} })],
    ['one of the environment', (f: Fixture) => ({ flags: [], env: f.env })],
    ['a server and a token', (f: Fixture) => ({ flags: [...server(f), `--token=${f.sandbox.token}`], env: {} })],
    [
      'a context that is not the current one',
      (f: Fixture) => ({ flags: ['--context=sandbox', '--as=jane', '--as-group=system:masters'], env: f.env }),
    ],
  ])('passes on the way to the cluster when told to: %s', async (_, choice) => {
    const { flags, env } = choice(fixture);
    const file = await hook(
      'where.sh',
      '#!/bin/sh\ncat > /dev/null\necho "at $KUBECONFIG" >&2\ntr -d "\\n" < "$KUBECONFIG" >&2\necho >&2\n',
    );
    const line = ['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', file, ...flags];
    await using cli = new Cli([...line, '--pass-credentials'], { env });
    await cli.until((c) => c.stderr.includes(fixture.sandbox.token), 'the kubeconfig');
    const place = /at (\S+?)"?\n/.exec(cli.stderr)?.[1] ?? '';
    expect(cli.stderr).toContain(fixture.sandbox.url);
    if (flags.length > 0) expect((await stat(place)).mode & 0o077).toBe(0);
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
    if (flags.length > 0) await expect(stat(place)).rejects.toThrow('ENOENT');

    await using without = new Cli(line, { env });
    await without.until((c) => c.stderr.includes('at /dev/null'), 'the empty kubeconfig');
    expect(without.stderr).not.toContain(fixture.sandbox.token);
  });

  it('shows no value of a Secret that a hook’s JSON patch would write, and gives the hook none by its lister', async () => {
    const marker = Buffer.from('patched-marker').toString('base64');
    const file = await hook(
      'secret.mjs',
      `export default (ctx) => {
        const seen = JSON.stringify([ctx.object, ctx.lister('v1/secrets').list(), ctx.index('namespace', 'shop')]);
        ctx.log.info('seen', { raw: seen.includes('${Buffer.from(SECRET_VALUE).toString('base64')}') });
        return { actions: [{ patch: [{ op: 'replace', path: '/data/password', value: '${marker}' }], patchType: 'json' }] };
      };\n`,
    );
    await using cli = new Cli(['reconcile', 'secrets', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until((c) => c.stdout.includes('would patch'), 'the action shown');
    cli.kill('SIGTERM');
    const { stdout, stderr } = await cli.ended();
    expect(stdout).toMatch(/"value":"hmac:[0-9a-f]{8}"/);
    expect(stdout + stderr).not.toContain(marker);
    expect(stderr).toContain('raw=false');
  });

  it('answers for its finalizer whatever else an update must change', async () => {
    const file = await hook('bye.mjs', "export default (ctx) => ctx.log.info('has run');\n");
    fixture.sandbox.apply(configMap('held', { a: '1' }));
    const held = () => fixture.sandbox.get({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/held');
    const line = ['reconcile', 'configmaps', 'held', '-n', 'shop', '--hook', file, '--finalizer', 'example.com/f', '--predicate', 'labels'];
    await using cli = new Cli([...line, '--allow-write'], { env: fixture.env });
    await cli.until(
      (c) => c.stderr.includes('has run'),
      'the run that follows the finalizer, after which only an event can lead to another',
    );
    expect(held()?.metadata.finalizers).toEqual(['example.com/f']);
    fixture.sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/held');
    await cli.until(() => held() === undefined, 'the end of it');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it('refuses a hook that cannot be loaded before it watches anything', async () => {
    const file = await hook('enum.ts', 'export enum Color { Red }\nexport default async () => {};\n');
    const result = await run(['reconcile', 'pods', '-n', 'shop', '--hook', file], { env: fixture.env });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/enum/i);
    const none = await run(['reconcile', 'pods', '-n', 'shop'], { env: fixture.env });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('--hook');
  });
});

/** Flags for the fixture's server, as if there were no kubeconfig. */
function server({ sandbox, folder }: Fixture): string[] {
  const ca = path.join(folder, 'ca.pem');
  writeFileSync(ca, sandbox.caPem);
  return ['--server', sandbox.url, '--certificate-authority', ca];
}

function labelOf(name: string): string | undefined {
  const object = fixture.sandbox.get(APPLE_TYPE, `shop/${name}`) as { metadata: { labels?: Record<string, string> } } | undefined;
  return object?.metadata.labels?.color;
}
