import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let runtime: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  fixture = await startFixture();
  runtime = await mkdtemp(path.join(tmpdir(), 'again-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(runtime, { recursive: true, force: true });
});

it.skipIf(process.platform === 'win32')(
  'a second serve adds its types, and says or refuses what it cannot change in the one that runs',
  async () => {
    await using serving = new Cli(['serve', 'pods', '-n', 'shop'], { env });
    await serving.until((c) => c.stderr.includes('ready: '), 'the first serve');
    expect(serving.stderr).toContain('v1/pods: 2 objects in shop\n');
    const again = (...line: string[]) => run(['serve', ...line], { env });

    const added = await again('deploy', '-n', 'shop', '--idle-exit', '1h', '--listen', ':0');
    expect([added.code, added.stderr]).toEqual([
      0,
      expect.stringContaining(
        'it holds v1/pods (2), apps/v1/deployments (1); what it was started with stays: --idle-exit and --listen have no effect',
      ),
    ]);
    await serving.until((c) => c.stderr.includes('apps/v1/deployments: 1 object in shop\n'), 'the added type');

    for (const [flags, what] of [
      [['-A'], 'all namespaces'],
      [['-n', 'shop,other'], 'other'],
    ] as const)
      expect(await again('configmaps', ...flags)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(`^error: a serve .*runs already.*holds shop, and not ${what}\\nhint: .*serve stop`),
        ),
      });
    expect((await run(['serve', 'status'], { env })).stdout).not.toContain('configmaps');

    expect(await again('podz')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hint: Did you mean "pod" or "pods"?'),
    });
    expect(await again('pods', 'web-1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('holds whole types'),
    });
    expect(await again('pods', '--index', 'node=.spec.nodeName', '-n', 'shop')).toMatchObject({ code: 0 });
    const other = await again('pods', '--index', 'node=.spec.hostIP', '-n', 'shop');
    expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/has an index node already[^\n]*\nhint: /)]);
  },
  60_000,
);
