import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigRow } from '../../src/cli/config-rows.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let folder: string;
let file: string;
beforeAll(async () => {
  fixture = await startFixture();
  folder = await mkdtemp(path.join(tmpdir(), 'informer-config-'));
  file = path.join(folder, 'config.yaml');
  await writeFile(
    file,
    `defaults: { namespace: shop, output: name, color: never }
commands:
  watch: { output: wide, on: [added, deleted], no-headers: true }
  query: { limit: 1 }
indexes: { image: '.spec.containers[*].image' }
`,
  );
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const withConfig = (line: string[], env: NodeJS.ProcessEnv = {}) =>
  run(line, { env: { ...fixture.env, KUBECTL_INFORMER_CONFIG: file, ...env } });

describe('a setting comes from the command line, else the environment, else the file, else what is built in', () => {
  it('and that of one command goes before that of all', async () => {
    const [all, own, environment, flag] = await Promise.all([
      withConfig(['query', 'pods']),
      withConfig(['watch', 'pods', '--once']),
      withConfig(['watch', 'pods', '--once'], { KUBECTL_INFORMER_OUTPUT: 'name', KUBECTL_INFORMER_NAMESPACE: 'other' }),
      withConfig(['watch', 'pods', '--once', '-n', 'shop', '-o', 'jsonpath={.metadata.name} '], {
        KUBECTL_INFORMER_NAMESPACE: 'other',
      }),
    ]);
    expect(all).toMatchObject({ code: 0, stdout: 'pod/web-1\n' });
    expect(own.stdout).toMatch(/^ADDED +web-1 .* worker-1 /);
    expect(environment).toMatchObject({ code: 0, stdout: 'pod/db-1\n' });
    expect(flag).toMatchObject({ code: 0, stdout: 'web-1 \nweb-2 \n' });
  });

  it('and indexes have the names that the file gives them', async () => {
    expect((await withConfig(['query', 'pods', '-A', '--eq', 'image=postgres:17'])).stdout).toBe('pod/db-1\n');
  });

  it('which config show prints', async () => {
    const env = { KUBECTL_INFORMER_ON: 'added', KUBECTL_INFORMER_TOKEN: 'not-to-be-told' };
    const { code, stdout, stderr } = await withConfig(['config', 'show', 'watch', '-o', 'json'], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = JSON.parse(stdout) as ConfigRow[];
    const told = Object.fromEntries(
      rows.map(({ setting, value, origin }) => [setting, `${value} ${path.basename(origin)}`]),
    );
    expect(told).toMatchObject({
      'index image': '.spec.containers[*].image config.yaml',
      namespace: 'shop config.yaml',
      output: 'wide config.yaml',
      'no-headers': 'true config.yaml',
      overflow: 'block built-in',
    });
    expect(told.on).toMatch(/^added .*environment|^added .*KUBECTL_INFORMER_ON/);
    expect(stdout).not.toContain('not-to-be-told');
    expect((await withConfig(['config', 'show'])).stderr).toBe(`from ${file}\n`);
  });
});

describe('what the file should not hold is refused, with what was meant', () => {
  it.concurrent.each([
    [
      'defaults: { namespce: x }',
      ['config', 'show'],
      /^error: .*"namespce", which is unknown\nhint: did you mean namespace\?/,
    ],
    [
      'commands: { watch: { limmit: 3 } }',
      ['watch', 'pods'],
      /^error: .*commands\.watch has "limmit".*\nhint: did you mean limit\?/,
    ],
    ['comands: {}', ['watch', 'pods'], /^error: .*"comands".*\nhint: did you mean commands\?/],
    ['defaults: { token: abc }', ['watch', 'pods'], /^error: .*defaults\.token cannot be set by a file/],
    [
      'commands: { watch: { show-secrets: true } }',
      ['watch', 'pods'],
      /^error: .*show-secrets cannot be set by a file/,
    ],
    ['commands: { watch: { timeout: soon } }', ['watch', 'pods'], /^error: .*"soon".*timeout/],
    ['defaults: [', ['watch', 'pods'], /^error: the config file .* is no YAML/],
  ])('%s', async (content, line, text) => {
    const bad = path.join(folder, `${content.replaceAll(/\W/g, '')}.yaml`);
    await writeFile(bad, content);
    const { code, stdout, stderr } = await run([...line, '--config', bad], { env: { KUBECONFIG: '/nonexistent' } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(text);
  });

  it('as is a named file that is not there', async () => {
    const { code, stderr } = await run(['watch', 'pods', '--config', '/nonexistent/config.yaml'], { env: fixture.env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: cannot read the config file \/nonexistent\/config\.yaml/);
  });
});

describe('a server that goes away for a while', () => {
  it('is reported, and the stream goes on where it was; a wait goes on too', async () => {
    await using own = await startFixture();
    await using cli = new Cli(
      ['watch', 'pods', '-n', 'shop', '-o', 'name', '--until', 'object.status.phase == "Succeeded"'],
      {
        env: own.env,
      },
    );
    await cli.until((c) => c.stderr.includes('0/2 met'), 'the progress');
    await own.sandbox.restart({ keepHistory: true, downMs: 300 });
    for (const name of ['web-1', 'web-2']) {
      const pods = { group: '', version: 'v1', resource: 'pods' };
      own.sandbox.apply({ ...(own.sandbox.get(pods, `shop/${name}`) as object), status: { phase: 'Succeeded' } });
    }
    const { code, stderr } = await cli.ended();
    expect(code).toBe(0);
    expect(stderr).toMatch(/; trying again/);
    expect(stderr).toMatch(/watch resumed at .*nothing was missed/);
    expect(stderr).toMatch(/no gaps, 1 resumed watch\n$/);
  });

  it('is reported when it refuses the credentials afterwards, and asked again', async () => {
    await using own = await startFixture();
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'name'], { env: own.env });
    await cli.until((c) => c.lines.length === 2, 'the pods');
    own.sandbox.expireToken();
    await own.sandbox.restart({ keepHistory: true });
    await cli.until((c) => c.stderr.includes('Unauthorized') || c.stderr.includes('logged in'), 'the refusal');
    own.sandbox.requests.clear();
    await cli.until(() => own.sandbox.requests.matching('/pods').length > 0, 'another request');
    expect(own.sandbox.requests.matching('/pods')[0]).toMatchObject({ status: 401 });
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
  });
});
