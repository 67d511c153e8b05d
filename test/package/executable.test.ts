import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, type CliOptions, run } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';
import { isAlive } from '../support/process-alive.ts';

// Only Node 26 makes executables, and it is no dependency: `.ci/smoke` makes one with the newest Node and runs this file.
const program = process.env.TEST_EXECUTABLE ?? '';

describe.skipIf(program === '')('the executable of a release (TEST_EXECUTABLE names it)', () => {
  let folder: string;
  let fixture: Fixture;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'executable-'));
    fixture = await startFixture();
    env = { ...fixture.env, HOME: folder, XDG_CACHE_HOME: path.join(folder, 'cache'), XDG_RUNTIME_DIR: folder };
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const ran = (line: string[], options: CliOptions = {}) => run(line, { env, program, ...options });
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };

  it('needs no Node on PATH', async () => {
    expect(await ran(['version'], { env: { ...env, PATH: folder } })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('kubectl-informer '),
    });
  });

  it('runs a TypeScript hook that imports a file beside it and the library, whose classes are those of the program', async () => {
    file('words.mts', 'export const word: string = "seen";\n');
    const hook = file(
      'hook.ts',
      `import { InformerError, keyOf } from 'kubectl-informer/cache';
       import { word } from './words.mts';
       const known: string = await Promise.resolve(word);
       export default async ({ object, client }: any) => {
         const refused = await client.resource({ group: '', version: 'v1', resource: 'pods' }).get('').catch((e: unknown) => e);
         console.log(known, keyOf(object), refused instanceof InformerError);
       };`,
    );
    await using cli = new Cli(['reconcile', 'configmaps', '-n', 'shop', '--hook', hook], { env, program });
    await cli.until(({ stderr }) => stderr.includes('shop/settings | seen shop/settings true'), 'the run');
    expect(cli.stderr).not.toContain('Warning');
  });

  it('runs the new text of a hook that is changed, with --reload', async () => {
    const hook = file('changing.mjs', 'export default () => console.log("first");\n');
    const line = ['reconcile', 'configmaps', '-n', 'shop', '--hook', hook, '--reload', '--every', '1s'];
    await using cli = new Cli(line, { env, program });
    await cli.until(({ stderr }) => stderr.includes('| first'), 'the run of the first text');
    file('changing.mjs', 'export default () => console.log("second");\n');
    await cli.until(({ stderr }) => stderr.includes('| second'), 'the run of the second text');
  });

  it('names what a broken hook misses', async () => {
    const hook = file('broken.mjs', "import './missing.mjs';\nexport default () => {};\n");
    const { code, stderr } = await ran(['reconcile', 'configmaps', '-n', 'shop', '--hook', hook]);
    expect(code).toBe(2);
    expect(stderr).toContain('missing.mjs');
  });

  it('ends the programs of its hook with --leader-elect when it is killed', async () => {
    const pidFile = path.join(folder, 'pid');
    const hook = file('slow.sh', `#!/bin/sh\necho $$ > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 600\n`);
    chmodSync(hook, 0o755);
    await using cli = new Cli(['reconcile', 'configmaps', '-n', 'shop', '--hook', hook, '--leader-elect'], {
      env,
      program,
    });
    await cli.until(() => existsSync(pidFile), 'the program of the hook');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    cli.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  });

  it('keeps the caches of serve --persist on disk', async () => {
    const states = path.join(folder, 'cache/kubectl-informer/state');
    const stored = () => readdirSync(states).map((name) => readFileSync(path.join(states, name), 'latin1'));
    await using serve = new Cli(['serve', 'namespaces', '--persist'], { env, program });
    await serve.until(({ stderr }) => stderr.includes('ready: '), 'it is ready');
    await serve.until(() => existsSync(states) && stored().join('').includes('kube-system'), 'the cache is stored');
    expect(serve.stderr).not.toContain('no effect');
  });

  it('goes through the tour', async () => {
    const { code, stdout } = await ran(['tour', '--no-pause']);
    expect(stdout).toContain('6/6');
    expect(code, stdout).toBe(0);
  });

  it('completes for kubectl through a link', async () => {
    fixture.sandbox.apply(configMap('unusual-name', {}));
    const link = path.join(folder, 'kubectl_complete-informer');
    symlinkSync(program, link);
    const { stdout } = await run(['watch', 'configmaps', '-n', 'shop', 'unus'], { env, program: link });
    expect(stdout.split('\n')[0]).toBe('unusual-name');
  });
});
