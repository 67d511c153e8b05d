import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { run } from '../support/cli.ts';
import { configMap } from '../support/fixture.ts';
import { endedWell, MAPS, ShellHooks } from '../support/shell-hooks.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const CRITICAL = { ...MAPS, executeHookOnSynchronization: false };

let hooks: ShellHooks;
beforeEach(async () => {
  hooks = await ShellHooks.make();
});
afterEach(() => hooks[Symbol.asyncDispose]());

/** A line of a hook that writes an operation. */
const writing = (operation: object) => `echo '${JSON.stringify(operation)}' >> "$KUBERNETES_PATCH_PATH"`;
const patchOf = (name: string, mergePatch: object) => ({
  operation: 'MergePatch',
  kind: 'ConfigMap',
  namespace: 'shop',
  name,
  mergePatch,
});
const stored = (name: string) => hooks.fixture.sandbox.get(CONFIG_MAPS, `shop/${name}`) as UnknownObject | undefined;
/** The command on the hooks' queues. */
const asked = async (...words: string[]) => await run([...words, '--name', 'hooks'], { env: hooks.env });

describe('hooks of shell-operator within limits', () => {
  it('--dry-run lets the server check what they write, shows it as a diff, and changes nothing', async () => {
    await hooks.add(
      'a.sh',
      { onStartup: 1 },
      `${writing(patchOf('settings', { data: { color: 'blue' } }))}
${writing({ operation: 'Create', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'BAD', namespace: 'shop' } } })}`,
    );
    await using cli = hooks.start('--dry-run');
    await cli.until(({ stdout, stderr }) => stdout.includes('data.color') && stderr.includes('failed'), 'the diff');
    expect(cli.stdout).toContain(
      'a.sh/onStartup: dry run: MODIFIED v1/configmaps shop/settings (patch)\n    ~ data.color: red → blue',
    );
    expect(cli.stderr).toContain('Create ConfigMap shop/BAD: ');
    expect(stored('settings')).toMatchObject({ data: { color: 'red' } });
    await endedWell(cli);
  });

  it('--max-writes delays what is beyond the rate, and says so', async () => {
    const names = ['one', 'two', 'three'];
    for (const name of names) hooks.fixture.sandbox.apply(configMap(name, {}));
    await hooks.add(
      'a.sh',
      { onStartup: 1 },
      names.map((name) => writing(patchOf(name, { data: { seen: 'yes' } }))).join('\n'),
    );
    await using cli = hooks.start('--allow-write', '--max-writes', '2/h');
    await cli.until(
      ({ stderr }) => stderr.includes('writes are delayed: more than 2 in 60m (--max-writes)'),
      'the delay',
    );
    expect(names.map((name) => (stored(name) as { data?: object }).data)).toEqual([
      { seen: 'yes' },
      { seen: 'yes' },
      {},
    ]);
    cli.kill('SIGTERM');
    const { stderr } = await cli.ended();
    expect(stderr).toContain(
      '1 delayed write is given up, because the program is asked to end; nothing of it was sent',
    );
  });

  it('a hook that its own writes call again and again is parked for that object, until another writer changes it', async () => {
    hooks.fixture.sandbox.apply(configMap('loop', { n: '0' }));
    hooks.fixture.sandbox.apply(configMap('calm', { n: '0' }));
    await hooks.add(
      'a.sh',
      { kubernetes: [{ ...CRITICAL, jqFilter: '.data', nameSelector: { matchNames: ['loop', 'calm'] } }] },
      `grep -q '"name":"loop"' "$BINDING_CONTEXT_PATH" && ${writing(patchOf('loop', { data: { n: 'N' } }))} && sed -i "s/N/$(date +%N)/" "$KUBERNETES_PATCH_PATH" || true`,
    );
    await using cli = hooks.start('--allow-write', '--hot-loop', '3');
    await hooks.ready(cli);
    hooks.fixture.sandbox.apply(configMap('loop', { n: '1' }));
    await cli.until(
      ({ stderr }) =>
        stderr.includes("a.sh/maps shop/loop: WARN only the hook's own writes changed it, 3 times in a row"),
      'the loop',
    );
    expect(hooks.runs).toHaveLength(3);
    hooks.fixture.sandbox.apply(configMap('calm', { n: '1' }));
    await hooks.until('a.sh maps Event Modified calm');
    expect((await asked('queue', 'list')).stdout).toMatch(/^a\.sh\/maps +parked /m);
    expect((await asked('reconcile', 'explain', 'a.sh/maps')).stdout).toContain('shop/loop is not run again');
    const before = hooks.runs.length;
    hooks.fixture.sandbox.apply(configMap('loop', { n: 'other' }));
    await expect.poll(() => hooks.runs.length).toBeGreaterThan(before);
    await endedWell(cli);
  });

  it('a queue goes on only when the caches show what its last run wrote', async () => {
    const match = { watch: true, path: 'configmaps' };
    hooks.fixture.sandbox.faults.add({ match, fault: { kind: 'lag', ms: 1_500 }, times: Number.POSITIVE_INFINITY });
    await hooks.add(
      'a.sh',
      {
        kubernetes: [{ ...MAPS, executeHookOnEvent: [] }],
        schedule: [{ name: 'often', crontab: '* * * * * *', includeSnapshotsFrom: ['maps'] }],
      },
      `n=$(jq '[.[0].snapshots.maps[]?.object.metadata.name | select(startswith("made-"))] | length' "$BINDING_CONTEXT_PATH")
grep -q '"type":"Schedule"' "$BINDING_CONTEXT_PATH" && ${writing({ operation: 'Create', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made-N', namespace: 'shop' } } })} && sed -i "s/N/$n/" "$KUBERNETES_PATCH_PATH" || true`,
    );
    await using cli = hooks.start('--allow-write');
    await expect.poll(() => stored('made-2'), { timeout: 50_000 }).toBeDefined();
    const end = await endedWell(cli);
    expect(end.stderr).not.toContain('failed'); // a second Create of the same name would fail
  });

  it('--leader-elect lets one of two programs work, and the other take over', async () => {
    await hooks.add('a.sh', { kubernetes: [MAPS] });
    const lease = ['--leader-elect', '--leader-elect-namespace', 'shop', '--leader-elect-lease-duration', '4s'];
    const quick = [...lease, '--leader-elect-renew-deadline', '3s', '--leader-elect-retry-period', '500ms'];
    await using first = hooks.start(...quick);
    await hooks.until('a.sh maps Synchronization 0');
    await using second = hooks.start(...quick);
    await second.until(({ stderr }) => stderr.includes('hook of'));
    hooks.fixture.sandbox.apply(configMap('one', {}));
    await hooks.until('a.sh maps Event Added one');
    expect(hooks.lines.filter((line) => line.includes('Synchronization'))).toHaveLength(1);
    first.kill('SIGKILL');
    await first.ended();
    await hooks.until('a.sh maps Synchronization 1');
    await endedWell(second);
  }, 40_000);

  it('what they did not see is said, and a namespace that begins or ceases to match comes and goes', async () => {
    const labelled = (name: string, labels: Record<string, string>) =>
      hooks.fixture.sandbox.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    labelled('shop', { watched: 'yes' });
    const namespace = { labelSelector: { matchLabels: { watched: 'yes' } } };
    await hooks.add('a.sh', {
      kubernetes: [{ ...MAPS, namespace, labelSelector: { matchLabels: { app: 'x' } } }],
    });
    const map = (name: string, where: string) => {
      const { metadata, ...rest } = configMap(name, {}, where);
      hooks.fixture.sandbox.apply({ ...rest, metadata: { ...metadata, labels: { app: 'x' } } });
    };
    map('in-shop', 'shop');
    map('in-other', 'other');
    await using cli = hooks.start();
    await hooks.until('a.sh maps Synchronization 1');
    labelled('other', { watched: 'yes' });
    await hooks.until('a.sh maps Event Added in-other');
    map('later', 'other');
    await hooks.until('a.sh maps Event Added later');
    labelled('other', {});
    await hooks.until('a.sh maps Event Deleted in-other');
    await hooks.until('a.sh maps Event Deleted later');
    map('unseen', 'other');
    hooks.fixture.sandbox.delete(CONFIG_MAPS, 'shop/in-shop');
    await hooks.until('a.sh maps Event Deleted in-shop');
    expect(hooks.lines.join()).not.toContain('unseen');
    await hooks.fixture.sandbox.restart();
    map('after', 'shop');
    await hooks.until('a.sh maps Event Added after');
    const gap = /namespaces: relisted \d objects? at \d+ \(gone\); what happened since \d+ shows as its outcome/;
    await cli.until(({ stderr }) => gap.test(stderr), 'the gap');
    await endedWell(cli);
  });
});
