import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';

/** A serve of the config maps of a small cluster, and how to ask it. */
async function served() {
  const fixture = await startFixture();
  const runtime = await mkdtemp(path.join(tmpdir(), 'informer-serve-'));
  const env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  const serve = new Cli(['serve', 'configmaps'], { env });
  const query = (...flags: string[]) => run(['query', 'cm', '-n', 'shop', '-o', 'name', ...flags], { env });
  await serve.until((c) => c.stderr.includes('ready:'), 'the serve');
  return {
    fixture: fixture as Fixture,
    serve,
    query,
    async [Symbol.asyncDispose]() {
      await serve[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
      await rm(runtime, { recursive: true, force: true });
    },
  };
}

describe('an answer of a serve', () => {
  it('has what was just written with --at-least-rv, and proves its age with --fresh', async () => {
    await using world = await served();
    for (let i = 0; i < 5; i++) {
      const [made] = world.fixture.sandbox.apply(configMap(`mine-${i}`, {}));
      const { stdout, stderr, code } = await world.query('--at-least-rv', made?.metadata.resourceVersion ?? '');
      expect(stderr).toMatch(/^from serve \(pid \d+\)/);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`configmap/mine-${i}\n`) });
    }
    expect(await world.query('--fresh', '0s')).toMatchObject({ code: 0, stderr: expect.stringMatching(/^from serve/) });
  });

  it('ends with 4 for a version that nothing has reached', async () => {
    await using world = await served();
    expect(await world.query('--at-least-rv', '99999999', '--timeout', '1s')).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: --at-least-rv 99999999 not within --timeout: configmaps is at version \d+, the server was at \d+, last proof .* ago\nhint: /,
      ),
    });
  });

  it('has its age and the outage after a lost connection, and is refused with --fresh', async () => {
    await using world = await served();
    await world.fixture.sandbox.stop();
    await world.serve.until((c) => /refused|ended|closed|trying again/.test(c.stderr), 'the outage');
    const plain = await world.query();
    expect(plain).toMatchObject({ code: 0, stdout: 'configmap/settings\n' });
    expect(plain.stderr).toMatch(/^configmaps: last proof \S+ ago, disconnected since \d\d:\d\d:\d\d: .+\nfrom serve/m);
    const fresh = await world.query('--fresh', '10ms', '--timeout', '1s');
    expect(fresh).toMatchObject({ code: 4, stdout: '' });
    expect(fresh.stderr).toMatch(
      /^error: --fresh 10ms not within --timeout: configmaps is at version \d+, last proof \S+ ago, disconnected since \d\d:\d\d:\d\d: .+\nhint: without --fresh the answer comes with its age/,
    );
  });

  it('is refused with --fresh when the stream is silent and a list shows that the server has moved on', async () => {
    await using world = await served();
    world.fixture.sandbox.faults.add({
      fault: { kind: 'stall', after: 0 },
      match: { watch: true, path: '/configmaps' },
    });
    await world.fixture.sandbox.restart({ keepHistory: true, downMs: 50 });
    await world.serve.until((c) => /resumed|connected|trying again/.test(c.stderr), 'the watch that is silent');
    world.fixture.sandbox.apply(configMap('unseen', {}));
    world.fixture.sandbox.requests.clear();
    const { code, stderr } = await world.query('--fresh', '10ms', '--timeout', '2s');
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('1 object differs') });
    const lists = world.fixture.sandbox.requests
      .matching('/configmaps')
      .filter(({ path: at }) => !at.includes('watch='));
    expect(lists.length).toBeGreaterThan(0);
  });
});
