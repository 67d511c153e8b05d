import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from '@oclif/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCommands } from '../../src/commands/index.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, pod, startFixture } from '../support/fixture.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OCLIF = path.resolve(import.meta.dirname, '../support/oclif.mjs');
const COMMANDS = await loadCommands();
const HOOK = 'echo {{.metadata.name}}';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/**
 * Command lines that end by themselves, with the exit code of each. Every command is there, once refused, and once
 * successful but for those of `NEVER_WELL`.
 */
const LINES: readonly (readonly [line: readonly string[], code: number])[] = [
  [['watch', 'pods', '-A', '--once', '-o', 'name'], 0],
  [['watch', 'pods', '-n', 'shop', '--until', 'false', '--timeout', '6s', '-o', 'name'], 3],
  [['watch', 'pods', '-n', 'shop', '--fail-if', 'true', '-o', 'name'], 5],
  [['watch', '--old', 'pods'], 2],
  [['watch', 'pods', '--wher', 'x'], 2],
  [['watch', 'nosuchtype'], 2],
  [['watch', 'pods', '--server', 'http://127.0.0.1:1', '--once'], 1],
  [['watch', '-Ao', 'name', 'pods', '--once=true'], 0],
  [['query', 'pods', '-A', '--values', 'node'], 0],
  [['query', 'pods', '-A', '--limit', 'many'], 2],
  [['history', 'deploy/web', '-n', 'shop'], 0],
  [['history', 'pods'], 2],
  [['record', 'compact'], 2],
  [['record', 'export'], 2],
  [['mcp', '--no-such-flag'], 2],
  [['serve'], 2],
  [['serve', 'status', 'pods'], 2],
  [['serve', 'stop', 'pods'], 2],
  [['reconcile', 'pods', '--exec', HOOK, '--max-writes', 'lots'], 2],
  [['reconcile', 'nosuchtype', '--exec', HOOK], 2],
  [['reconcile', 'rbac', 'pods', '--exec', HOOK], 0],
  [['reconcile', 'rbac', '--observed', 'nosuchfile.jsonl'], 2],
  [['reconcile', 'manifest', 'pods', '--exec', HOOK, '--image', 'informer:1'], 0],
  [['reconcile', 'manifest', 'pods', '--exec', HOOK], 2],
  [['reconcile', 'explain'], 2],
  [['reconcile', 'test', 'hook.ts'], 2],
  [['queue', 'list', 'pods'], 2],
  [['queue', 'retry'], 2],
  [['queue', 'drop', 'a', '--pid', 'x'], 2],
  [['sandbox', '--port', '70000'], 2],
  [['sandbox', '--load', 'nosuchfile.yaml'], 2],
  [['tour', 'pods'], 2],
  [['doctor', 'pod/web-1'], 2],
  [['doctor', '--output', 'yaml'], 2],
  [['config', 'show', 'watch', '-o', 'json'], 0],
  [['config', 'show', 'wach'], 2],
  [['crds', 'test/crds/fixtures/postgres-cluster.yaml'], 0],
  [['crds'], 2],
  [['crds', 'diff', 'test/crds/fixtures/postgres-cluster.yaml', 'test/crds/fixtures/postgres-cluster.yaml'], 0],
  [['crds', 'diff', 'nosuchfile.yaml'], 2],
  [['types', 'myapples,pods'], 2],
  [['types', 'configmaps'], 0],
  [['types'], 2],
  [['completion', 'bash'], 0],
  [['completion', 'csh'], 2],
  [['options'], 0],
  [['options', 'watch'], 2],
  [['watch', '--help'], 0],
  [['query', 'pods', '-h'], 0],
  [['config', 'show', '--help'], 0],
  [['--help'], 0],
  [[], 0],
  [['version'], 0],
  [['version', '--no-such-flag'], 2],
];

/** Commands that need a serve, a controller or a fixture of their own to end well, or do so only when interrupted. */
const NEVER_WELL = [
  'mcp',
  'record compact',
  'record export',
  'serve',
  'serve status',
  'serve stop',
  'reconcile',
  'reconcile explain',
  'reconcile test',
  'queue list',
  'queue retry',
  'queue drop',
  'sandbox',
  'tour',
  'doctor',
];

async function written(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(file, text);
  return file;
}

const settled = (text: string) => text.replaceAll(/\d+(\.\d+)? ?(ms|s)\b/g, 'TIME');

describe('every command is an oclif command', () => {
  it('by its class', () => {
    for (const [id, command] of Object.entries(COMMANDS))
      expect([id, command.prototype instanceof Command]).toEqual([id, true]);
  });

  it('and is in the list below, once refused, and once ending well if it ends by itself', () => {
    const names = Object.keys(COMMANDS).map((id) => id.split(':'));
    const codes = names.map((name) =>
      LINES.filter(([line]) => name.every((word, at) => line[at] === word)).map(([, code]) => code),
    );
    for (const [at, name] of names.entries()) {
      const isLong = NEVER_WELL.includes(name.join(' '));
      expect([name, codes[at]]).toEqual([name, expect.arrayContaining(isLong ? [2] : [0, 2])]);
    }
  });

  it.concurrent.each(LINES)(
    'oclif’s execute runs %j with the output and exit code of our program',
    async (line, code) => {
      const env = fixture.env;
      const [ours, theirs] = await Promise.all([run(line, { env }), run(line, { env, script: OCLIF })]);
      expect({ code: ours.code, stderr: ours.stderr }).toMatchObject({ code });
      expect({ code: theirs.code, stdout: theirs.stdout, stderr: settled(theirs.stderr) }).toEqual({
        code,
        stdout: ours.stdout,
        stderr: settled(ours.stderr),
      });
    },
  );
});

it.each(['development', 'test'])('NODE_ENV=%s brings no warnings of oclif', async (NODE_ENV) => {
  const { code, stderr } = await run(['watch', 'pods', '--wher', 'x'], { env: { ...fixture.env, NODE_ENV } });
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: unknown flag: --wher\nhint: did you mean --where?\n' });
  expect(await run(['version'], { env: { NODE_ENV } })).toMatchObject({ code: 0, stderr: '' });
});

it('a command may use all of oclif’s Command: what waits in a file of its own is loaded then', async () => {
  const script = `
    import { COMMANDS } from ${JSON.stringify(pathToFileURL(path.join(ROOT, 'bin/commands.js')).href)};
    class Own extends COMMANDS.version {
      async execute() {
        this.log('%s is logged', 'it');
        const { flags } = await this.parse({ flags: {} }, []);
        this.log(JSON.stringify(flags));
        this.error('refused', { exit: 4 });
      }
    }
    await Own.run([], ${JSON.stringify(ROOT)});`;
  await using cli = new Cli([], { script: await written('own.mjs', script) });
  expect(await cli.ended()).toMatchObject({ stdout: 'it is logged\n{}\n', stderr: 'error: refused\n', code: 1 });
});

describe('a command that oclif runs ends as it does in our program', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('on %s, before what it waits for', async (signal, code) => {
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '--until', 'false'], { env: fixture.env, script: OCLIF });
    await cli.until((c) => c.stderr.includes('0/2'), 'the progress');
    cli.kill(signal);
    expect((await cli.ended()).code).toBe(code);
  });

  it('when the reader of stdout leaves', async () => {
    await using left = new Cli(['watch', 'pods', '-A', '--until', 'false', '-o', 'name'], {
      env: fixture.env,
      script: OCLIF,
    });
    await left.until((c) => c.stdout !== '', 'a line');
    left.child.stdout?.destroy();
    fixture.sandbox.apply([pod('late', { namespace: 'other' })]);
    expect((await left.ended()).code).toBe(141);
  });

  it.skipIf(!existsSync('/dev/full'))('when stdout cannot be written', () => {
    const argv = ['version'];
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [OCLIF, ...argv], {
      env: { ...process.env, ...fixture.env },
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^error: cannot write to stdout: ENOSPC.*\n$/),
    });
  });

  it('a sandbox runs until it is interrupted', async () => {
    await using sandbox = new Cli(['sandbox', '-q'], { env: fixture.env, script: OCLIF });
    await sandbox.until((c) => c.stdout.includes('kubeconfig'), 'the path');
    sandbox.kill('SIGINT');
    expect((await sandbox.ended()).code).toBe(0);
  });

  it('a reconcile runs until it is interrupted', async () => {
    await using reconcile = new Cli(['reconcile', 'pods', '-n', 'shop', '--exec', HOOK], {
      env: fixture.env,
      script: OCLIF,
    });
    await reconcile.until((c) => c.stdout.includes('web-1'), 'a run');
    reconcile.kill('SIGINT');
    expect((await reconcile.ended()).code).toBe(0);
  });
});
