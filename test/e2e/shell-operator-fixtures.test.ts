import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { MAPS, ShellHooks } from '../support/shell-hooks.ts';

let hooks: ShellHooks;
let fixtures: string;
beforeEach(async () => {
  hooks = await ShellHooks.make();
  fixtures = path.join(hooks.fixture.folder, 'fixtures');
  await mkdir(fixtures);
});
afterEach(() => hooks[Symbol.asyncDispose]());

const fixture = async (name: string, content: object) =>
  await writeFile(path.join(fixtures, `${name}.yaml`), JSON.stringify(content));
const test = async (...words: string[]) =>
  await run(['reconcile', 'test', '--shell-operator', hooks.folder, '--fixtures', fixtures, ...words], {
    env: { ...hooks.env, KUBECONFIG: '/dev/null' },
  });

const map = (name: string, data: Record<string, string> = {}, namespace = 'shop') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});
const upsert = (object: object) => JSON.stringify({ operation: 'CreateOrUpdate', object });
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];

describe('reconcile test --shell-operator', () => {
  it('runs a folder of hooks through changes, times and webhooks, and finds hooks that write again and again', async () => {
    await hooks.add(
      'count.sh',
      { kubernetes: [MAPS], schedule: [{ name: 'nightly', crontab: '0 3 * * *', includeSnapshotsFrom: ['maps'] }] },
      `grep -q Schedule "$BINDING_CONTEXT_PATH" && echo '${upsert(map('nightly', { maps: 'N' }, 'default'))}' |
  sed "s/N/$(grep -o '"name":"m[0-9]"' "$BINDING_CONTEXT_PATH" | wc -l | tr -d ' ')/" > "$KUBERNETES_PATCH_PATH" || true`,
    );
    await hooks.add(
      'deny.sh',
      { kubernetesValidating: [{ name: 'deny.example.com', rules: RULES }] },
      `grep -q '"name":"bad"' "$BINDING_CONTEXT_PATH" && echo '{"allowed":false,"message":"not this one"}' > "$VALIDATING_RESPONSE_PATH" || echo '{"allowed":true}' > "$VALIDATING_RESPONSE_PATH"`,
    );
    await fixture('counted', {
      given: [map('m1')],
      changes: [{ apply: map('m2') }, { delete: map('m1') }, { apply: map('m3') }, { schedule: 'count.sh/nightly' }],
      expect: { objects: [map('nightly', { maps: '2' }, 'default')], absent: [{ ...map(''), name: 'shop/m1' }] },
    });
    await fixture('denied', { changes: [{ apply: map('bad') }], expect: { error: 'not this one' } });
    const good = await test();
    expect(good.stdout).toMatch(/2 fixtures, 14 checks: 14 ok, 0 failed\n$/);
    expect(good.code).toBe(0);
    await rm(path.join(fixtures, 'counted.yaml'));
    await rm(path.join(hooks.folder, 'count.sh'));
    await hooks.add(
      'again.sh',
      { onStartup: 1 },
      `echo '${upsert(map('time', { at: 'T' }, 'default'))}' | sed "s/T/$(date +%s%N)/" > "$KUBERNETES_PATCH_PATH"`,
    );
    const bad = await test('-o', 'json');
    const failed = bad.stdout.split('\n').filter((line) => line.includes('"ok":false'));
    expect(failed[0]).toContain('the second run wrote: ConfigMap default/time was changed');
    expect(bad.code).toBe(1);
  }, 240_000);

  it('says which file, line or word cannot be used', async () => {
    await hooks.add('a.sh', { schedule: [{ name: 'nightly', crontab: '0 3 * * *' }] });
    await fixture('a', { expect: { error: 'a' }, changes: [{ schedule: 'a.sh/daily' }] });
    expect((await test()).stderr).toBe(
      `error: ${path.join(fixtures, 'a.yaml')}:1: no hook has a schedule a.sh/daily\nhint: the schedules are a.sh/nightly\n`,
    );
    expect((await test('--owns', 'pods')).stderr).toContain('--owns does nothing beside --shell-operator');
    expect((await test('hook.sh')).stderr).toContain('hook.sh does nothing beside --shell-operator');
    const plain = await run(['reconcile', 'test', 'a.sh', '--fixtures', fixtures, '--pass-env', 'A'], {
      env: hooks.env,
    });
    expect(plain.stderr).toContain('--pass-env');
    expect(plain.code).toBe(2);
  });
});
