import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseGvr } from '../../src/model/gvr.ts';
import { Cli } from '../support/cli.ts';
import { type Fixture, pod, startFixture } from '../support/fixture.ts';

const HOOKS = path.resolve(import.meta.dirname, '../../examples/hooks');
/** The Python example needs an interpreter, which the machine may not have. */
const NO_PYTHON = spawnSync('python3', ['--version']).status !== 0;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  const restarted = {
    phase: 'Running',
    containerStatuses: [
      { name: 'a', restartCount: 2 },
      { name: 'b', restartCount: 3 },
    ],
  };
  fixture.sandbox.apply({ ...pod('restarted'), status: restarted });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const metadataOf = (gvr: string, key: string) =>
  (fixture.sandbox.get(parseGvr(gvr), key) as { metadata: { labels?: object; annotations?: object } }).metadata;

describe('the example hooks that are executables, when they may write', () => {
  it('label.sh labels a Deployment with its team, and leaves it alone then', async () => {
    const args = ['reconcile', 'deployments', '-n', 'shop', '--hook', path.join(HOOKS, 'label.sh'), '--allow-write'];
    await using cli = new Cli(args, { env: fixture.env });
    await cli.until(({ stdout }) => stdout.includes('patch apps/v1/deployments shop/web'), 'the patch');
    expect(metadataOf('apps/v1/deployments', 'shop/web').labels).toMatchObject({ team: 'storefront' });
    cli.kill('SIGTERM');
    const { code, stdout } = await cli.ended();
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1]);
  });

  it.skipIf(NO_PYTHON)(
    'restart-counter.py (needs python3) notes the restarts of each Pod, in one process',
    async () => {
      const hook = path.join(HOOKS, 'restart-counter.py');
      const args = ['reconcile', 'pods', '-n', 'shop', '--hook', hook, '--hook-mode', 'warm', '--allow-write'];
      await using cli = new Cli(args, { env: fixture.env });
      const notes = () =>
        ['restarted', 'web-1', 'web-2'].map((name) => metadataOf('v1/pods', `shop/${name}`).annotations);
      await cli.until(({ stdout }) => stdout.split('patch v1/pods').length === 4, 'the three patches');
      expect(notes()).toEqual(['5', '0', '0'].map((restarts) => ({ 'example.com/restarts': restarts })));
      expect(cli.stderr).toContain('shop/restarted | 5 restarts, before: not known\n');
      cli.kill('SIGTERM');
      expect((await cli.ended()).code).toBe(0);
    },
  );
});
