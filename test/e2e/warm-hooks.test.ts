import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { isAlive } from '../support/process-alive.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** A worker that writes its pid into a file, and runs `body` for each request. */
async function worker(name: string, body: string) {
  const file = path.join(fixture.folder, name);
  const pids = `${file}.pids`;
  await writeFile(
    file,
    `#!${process.execPath}
    require('node:fs').appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n');
    let n = 0;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const request = JSON.parse(line);
      const { key, id, attempt } = request;
      n++;
      const reply = (more) => console.log(JSON.stringify({ id, ...more }));
      ${body}
    });`,
  );
  await chmod(file, 0o755);
  return {
    file,
    pids: async () => (await readFile(pids, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number),
  };
}

const warm = (file: string, ...flags: string[]) => [
  'reconcile',
  'pods',
  '-n',
  'shop',
  '--hook',
  file,
  '--hook-mode',
  'warm',
  ...flags,
];

describe('--hook-mode warm', () => {
  it('runs all keys in one process, shows what it prints with the key, and ends it at the end', async () => {
    const { file, pids } = await worker(
      'kept',
      "console.log('run ' + n); reply({ actions: [{ log: 'done ' + key }] });",
    );
    await using cli = new Cli(warm(file), { env: fixture.env });
    await cli.until((c) => c.stderr.split('done ').length === 3, 'both runs');
    cli.kill('SIGTERM');
    const { code, stdout } = await cli.ended();
    expect([code, stdout]).toEqual([0, 'shop/web-1 | run 1\nshop/web-2 | run 2\n']);
    const started = await pids();
    expect(started).toHaveLength(1);
    expect(started.some(isAlive)).toBe(false);
  });

  it('starts a process for each of --workers that has something to do', async () => {
    const { file, pids } = await worker('several', "setTimeout(() => reply({ actions: [{ log: 'done' }] }), 100);");
    await using cli = new Cli(warm(file, '--workers', '8'), { env: fixture.env });
    await cli.until((c) => c.stderr.split('done').length === 3, 'both runs');
    expect(await pids()).toHaveLength(2);
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it('runs a key again whose worker died, and no other key notices', async () => {
    const { file } = await worker(
      'mortal',
      "if (key.endsWith('web-1') && attempt === 1) { console.error('no memory'); process.exit(9); } reply({ actions: [{ log: 'attempt ' + attempt }] });",
    );
    await using cli = new Cli(warm(file), { env: fixture.env });
    await cli.until((c) => c.stderr.includes('web-1: attempt 2') && c.stderr.includes('web-2: attempt 1'), 'both keys');
    expect(cli.stderr).toMatch(
      /^shop\/web-1: failed \(attempt 1\), again in \d+ ms: hook mortal exited with 9 before it replied: no memory$/m,
    );
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it('ends a worker that hangs at --hook-timeout, and one that ignores the end of its stdin', async () => {
    const { file, pids } = await worker(
      'hanging',
      "setInterval(() => {}, 1000); if (attempt > 1) reply({ actions: [{ log: 'attempt ' + attempt }] });",
    );
    // the start of a worker counts: on a busy machine a later attempt may be the first that is in time
    const args = [...warm(file, '--hook-timeout', '1s'), '--field-selector', 'metadata.name=web-1'];
    await using cli = new Cli(args, { env: fixture.env });
    await cli.until((c) => /web-1: attempt [2-9]/.test(c.stderr), 'a second attempt');
    expect(cli.stderr).toMatch(/web-1: failed \(attempt 1\).*took longer than 1s/);
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
    expect((await pids()).some(isAlive)).toBe(false);
  });

  it('parks a key whose reply is a permanent error', async () => {
    const { file } = await worker('permanent', "reply({ error: 'no such team', permanent: true });");
    await using cli = new Cli(warm(file), { env: fixture.env });
    await cli.until((c) => c.stderr.split('given up until something changes (attempt 1)').length === 3, 'both keys');
    expect(cli.stderr).toContain('replied with an error: no such team');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it('takes a command line without placeholders', async () => {
    const { file } = await worker('argument', "reply({ actions: [{ log: 'got ' + process.argv[2] }] });");
    const args = ['reconcile', 'pods/web-1', '-n', 'shop', '--exec', `${file} word`, '--hook-mode=warm'];
    await using cli = new Cli(args, { env: fixture.env });
    await cli.until((c) => c.stderr.includes('shop/web-1: got word'), 'the reply');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it.each([
    [
      'a module',
      () => ['--hook', path.resolve('examples/hooks/scale-guard.ts')],
      /warm is for executables: the module scale-guard\.ts is loaded only once anyway/,
    ],
    [
      'placeholders',
      () => ['--exec', 'echo {{.metadata.name}}'],
      /--hook-mode warm cannot be combined with placeholders in --exec/,
    ],
  ])('is refused for %s', async (_, flags, message) => {
    const args = ['reconcile', 'pods', '-n', 'shop', ...flags(), '--hook-mode', 'warm'];
    expect(await run(args, { env: fixture.env })).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });
});
