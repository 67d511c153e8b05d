import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import path from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { pod, startFixture } from '../support/fixture.ts';

const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');

describe('sandbox', () => {
  it('serves, writes a kubeconfig for its owner alone, and goes with SIGTERM', async () => {
    await using fixture = await startFixture([]);
    const file = path.join(fixture.folder, 'own');
    await using cli = new Cli(['sandbox', '--scenario', 'rollout', '--seed', '3', '--kubeconfig', file]);
    await cli.until((c) => c.stdout.includes(`export KUBECONFIG=${file}`), 'the path');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { stdout } = await run(['query', 'deployments', '-A', '-o', 'name'], { env: { KUBECONFIG: file } });
    expect(stdout).toContain('deployment.apps/');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
    const down = await run(['query', 'pods', '--timeout', '5s'], { env: { KUBECONFIG: file } });
    expect(down.code).toBe(1);
    expect(down.stderr).toMatch(/^error: /);
  });

  it('writes its kubeconfig through no file that another user put there', async () => {
    await using fixture = await startFixture([]);
    const file = path.join(fixture.folder, 'shared');
    const victim = path.join(fixture.folder, 'victim');
    await writeFile(victim, 'untouched');
    // The shell's process becomes the program, so its id is known before it starts.
    const line = `ln -s ${victim} ${file}.$$; exec ${process.execPath} ${RUN} sandbox -q --kubeconfig ${file}`;
    const child = spawn('/bin/sh', ['-c', line], {
      env: { PATH: process.env.PATH, HOME: fixture.folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await once(child, 'close');
    expect([await readFile(victim, 'utf8'), (await lstat(file)).isFile(), (await stat(file)).mode & 0o777]).toEqual([
      'untouched',
      true,
      0o600,
    ]);
    // it, and the link as it was
    expect((await readdir(fixture.folder)).filter((name) => name.startsWith('shared')).length).toBe(2);
  });

  it('loads manifests and refuses other files', async () => {
    await using fixture = await startFixture([]);
    const file = path.join(fixture.folder, 'objects.yaml');
    await writeFile(
      file,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, namespace: default}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: two, namespace: default}\n',
    );
    await using cli = new Cli(['sandbox', '--load', file, '-q']);
    await cli.until((c) => c.lines.length === 1, 'the path');
    const config = cli.lines[0] as string;
    expect(await readFile(config, 'utf8')).toContain('certificate-authority-data');
    const { stdout } = await run(['query', 'configmaps', '-n', 'default', '-o', 'name'], {
      env: { KUBECONFIG: config },
    });
    expect(stdout).toBe('configmap/one\nconfigmap/two\n');
    cli.kill('SIGINT');
    await cli.ended();
    await expect(stat(config)).rejects.toThrow();
    expect((await run(['sandbox', '--load', path.join(fixture.folder, 'none.yaml')])).code).toBe(2);
  });

  it('refuses a file and a folder without an object: what was meant lies elsewhere', async () => {
    await using fixture = await startFixture([]);
    const folder = path.join(fixture.folder, 'nothing');
    await mkdir(path.join(folder, 'below'), { recursive: true });
    await writeFile(path.join(folder, 'below', 'a.yaml'), JSON.stringify(pod('a')));
    const empty = path.join(fixture.folder, 'empty.yaml');
    await writeFile(empty, '---\n# nothing\n---\n');
    for (const place of [folder, empty])
      expect(await run(['sandbox', '--load', place])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: there is no object to load in ${place}\nhint: of a folder the .yaml, .yml and .json files directly in it are read\n`,
      });
  });

  it('loads no file that is too large, too deep or a bomb of aliases: each is refused, with its name and what to do', async () => {
    await using fixture = await startFixture([]);
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata:\n';
    const aliases = [...'bcdefghij'].map((name, i) => `  ${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`)}]\n`);
    const refused = async (name: string, text?: string) => {
      const file = name.startsWith('/') ? name : path.join(fixture.folder, name);
      if (text !== undefined) await writeFile(file, text);
      const { code, stdout, stderr } = await run(['sandbox', '--load', file]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr.split(file)).toHaveLength(2); // named once
      return stderr;
    };
    expect(await refused('bomb.yaml', `${head}  a: &a [x, x, x, x, x, x, x, x, x]\n${aliases.join('')}`)).toMatch(
      /excessive aliasing\nhint: write out what the aliases/,
    );
    const deep = await refused('deep.yaml', `${head}  a: ${'['.repeat(5000)}${']'.repeat(5000)}\n`);
    expect(deep).toMatch(/nesting exceeded .*\nhint: no Kubernetes object is nested that deep/);
    expect(await refused('/dev/zero')).toMatch(/it has more than 64 MiB\nhint: split it/);
    const invalid = await refused('invalid.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: UPPER}\n');
    expect(invalid).toMatch(/Pod "UPPER" is invalid[\s\S]*\nhint: a server would refuse this object too/);
  });

  it('holds everybody but its own token to the roles with --rbac', async () => {
    const asNobody = async (flags: string[]) => {
      await using cli = new Cli(['sandbox', '-q', ...flags]);
      await cli.until((c) => c.lines.length === 1, 'the path');
      const { clusters } = load(await readFile(cli.lines[0] as string, 'utf8')) as {
        clusters: { cluster: Record<string, string> }[];
      };
      const { server, 'certificate-authority-data': ca = '' } = clusters[0]?.cluster ?? {};
      const [answer] = (await once(get(`${server}/api/v1/pods`, { ca: Buffer.from(ca, 'base64') }), 'response')) as [
        IncomingMessage,
      ];
      return [answer.statusCode, await answer.setEncoding('utf8').toArray()];
    };
    expect(await asNobody([])).toEqual([401, [expect.stringContaining('Unauthorized')]]);
    expect(await asNobody(['--rbac'])).toEqual([
      403,
      [expect.stringContaining('User \\"system:anonymous\\" cannot list resource')],
    ]);
    await using own = new Cli(['sandbox', '-q', '--rbac']);
    await own.until((c) => c.lines.length === 1, 'the path');
    const KUBECONFIG = own.lines[0] as string;
    expect((await run(['query', 'secrets', '-A', '--count'], { env: { KUBECONFIG } })).code).toBe(0);
  });

  it('every command runs on one of its own with --sandbox', async () => {
    const { code, stdout } = await run(['query', 'pods', '-A', '--sandbox', '-o', 'name']);
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeGreaterThan(3);
  });

  it('replaces no pipe or device by its kubeconfig', async () => {
    await using fixture = await startFixture([]);
    const pipe = path.join(fixture.folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await run(['sandbox', '--kubeconfig', pipe])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${pipe} is no regular file\nhint: --kubeconfig FILE says where to`),
    });
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it('overwrites no kubeconfig but its own, and leaves its own readable by its owner alone', async () => {
    await using fixture = await startFixture([]);
    const mine = path.join(fixture.folder, 'mine');
    await writeFile(mine, 'apiVersion: v1\nkind: Config\ncurrent-context: production\n');
    const refused = await run(['sandbox', '--kubeconfig', mine]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is not the kubeconfig of a sandbox') });
    expect(await readFile(mine, 'utf8')).toContain('production');
    const old = fixture.env.KUBECONFIG;
    await chmod(old, 0o644);
    await using cli = new Cli(['sandbox', '--kubeconfig', old, '-q']);
    await cli.until((c) => c.lines.length === 1, 'the path');
    expect((await stat(old)).mode & 0o777).toBe(0o600);
  });
});
