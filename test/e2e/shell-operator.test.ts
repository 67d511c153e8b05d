import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { type Cli, run } from '../support/cli.ts';
import { configMap } from '../support/fixture.ts';
import { endedWell, MAPS, ShellHooks } from '../support/shell-hooks.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

interface PodSpec {
  readonly containers: readonly object[];
  readonly volumes: readonly { readonly configMap?: { readonly items?: readonly object[] } }[];
}

let hooks: ShellHooks;
beforeEach(async () => {
  hooks = await ShellHooks.make();
});
afterEach(() => hooks[Symbol.asyncDispose]());

describe('hooks of shell-operator', () => {
  it('run at the start, then with the whole state of each binding, then with its events', async () => {
    await hooks.add('b.sh', { onStartup: 1 });
    await hooks.add('a/x.sh', { onStartup: 2, kubernetes: [MAPS] });
    hooks.fixture.sandbox.apply(configMap('one', { size: '1' }));
    await using cli = hooks.start();
    await hooks.until('a/x.sh maps Synchronization 1');
    hooks.fixture.sandbox.apply(configMap('two', { size: '1' }));
    await hooks.until('a/x.sh maps Event Added two');
    hooks.fixture.sandbox.apply(configMap('two', { size: '2' }));
    await hooks.until('a/x.sh maps Event Modified two');
    hooks.fixture.sandbox.delete(CONFIG_MAPS, 'shop/two');
    await hooks.until('a/x.sh maps Event Deleted two');
    expect(hooks.lines.slice(0, 3)).toEqual(['b.sh onStartup', 'a/x.sh onStartup', 'a/x.sh maps Synchronization 1']);
    const end = await endedWell(cli);
    expect(end.stderr).toContain(`2 hooks of ${hooks.folder}: a/x.sh, b.sh`);
    expect(end.stderr).toMatch(/ended by SIGTERM after \S+: \d+ runs of hooks\n/);
  });

  it('are asked to the server only with --allow-write, and are not run again by what they wrote', async () => {
    const operation = {
      operation: 'MergePatch',
      kind: 'ConfigMap',
      namespace: 'shop',
      name: 'one',
      mergePatch: { metadata: { annotations: { seen: 'yes' } } },
    };
    const filtered = { ...MAPS, jqFilter: '.data', executeHookOnSynchronization: false };
    await hooks.add(
      'a.sh',
      { kubernetes: [filtered] },
      `echo '${JSON.stringify(operation)}' > "$KUBERNETES_PATCH_PATH"`,
    );
    hooks.fixture.sandbox.apply(configMap('one', { size: '1' }));
    const annotations = () =>
      (hooks.fixture.sandbox.get(CONFIG_MAPS, 'shop/one') as UnknownObject).metadata.annotations;
    let size = 1;
    const changing = async (cli: Cli, line: string) =>
      await cli.until(({ stdout }) => {
        hooks.fixture.sandbox.apply(configMap('one', { size: `${size++}` }));
        return stdout.includes(line);
      }, line);
    {
      await using cli = hooks.start();
      await cli.until(({ stderr }) => stderr.includes('not sent; --allow-write sends it'));
      await changing(cli, 'a.sh/maps: would patch v1/configmaps shop/one');
      expect(annotations()?.seen).toBeUndefined();
    }
    await using cli = hooks.start('--allow-write');
    await changing(cli, 'a.sh/maps: patch v1/configmaps shop/one');
    expect(annotations()?.seen).toBe('yes');
    await endedWell(cli);
  });

  it('are tried again after a failure, and hold up their queue but no other', async () => {
    await hooks.add(
      'bad.sh',
      { kubernetes: [{ ...MAPS, queue: 'slow' }] },
      'grep -q Event "$BINDING_CONTEXT_PATH" && { echo no such team >&2; exit 3; } || true',
    );
    await hooks.add('good.sh', { kubernetes: [MAPS] });
    await using cli = hooks.start();
    await hooks.until('good.sh maps Synchronization 0');
    await hooks.until('bad.sh maps Synchronization 0');
    hooks.fixture.sandbox.apply(configMap('one', {}));
    await hooks.until('good.sh maps Event Added one');
    await cli.until(({ stderr }) => stderr.includes('bad.sh/maps: failed (attempt 1), again in 5s'), 'the failure');
    expect(cli.stderr).toContain('the hook bad.sh exited with 3: no such team');
    const queue = await run(['queue', 'list', '--name', 'hooks'], { env: hooks.env });
    expect(queue.stdout).toMatch(/^bad\.sh\/maps +delayed /m);
    const explained = await run(['reconcile', 'explain', 'bad.sh/maps', '--name', 'hooks'], { env: hooks.env });
    expect(explained.stdout).toMatch(/failed 1 times in the queue slow, which waits for it, and is tried again in/);
    const idle = await run(['reconcile', 'explain', 'good.sh/maps', '--name', 'hooks'], { env: hooks.env });
    expect(idle.stdout).toMatch(/waits for nothing; its last run succeeded \S+ ago; it has \d objects/);
    await endedWell(cli);
  });

  it('see every object again after kill -9, and every event after an outage and a lost history', async () => {
    await hooks.add('a.sh', { kubernetes: [MAPS] });
    hooks.fixture.sandbox.apply(configMap('one', {}));
    {
      await using cli = hooks.start();
      await hooks.until('a.sh maps Synchronization 1');
      hooks.fixture.sandbox.apply(configMap('two', {}));
      await hooks.until('a.sh maps Event Added two');
      cli.kill('SIGKILL');
      await cli.ended();
    }
    hooks.fixture.sandbox.apply(configMap('three', {}));
    await using cli = hooks.start();
    await hooks.until('a.sh maps Synchronization 3');
    hooks.fixture.sandbox.delete(CONFIG_MAPS, 'shop/one');
    hooks.fixture.sandbox.apply(configMap('four', {}));
    await hooks.fixture.sandbox.restart({ downMs: 300 }); // without history: each watch ends with 410
    await hooks.until('a.sh maps Event Deleted one');
    await hooks.until('a.sh maps Event Added four');
    await endedWell(cli);
  });

  it('serve their metrics, and are refused with the hook and the field', async () => {
    await hooks.add('a.sh', { onStartup: 1 }, `echo '{"name":"seen","add":2}' > "$METRICS_PATH"`);
    {
      await using cli = hooks.start('--metrics', ':0');
      await cli.until(({ stderr }) => /http:\S+/.test(stderr) && hooks.runs.length > 0);
      const address = /http:\S+/.exec(cli.stderr)?.[0];
      const page = async () => await (await fetch(`${address}/metrics`)).text();
      await expect.poll(page).toContain('seen{hook="a.sh"} 2');
      await endedWell(cli);
    }
    await hooks.add('c.sh', {
      kubernetes: [MAPS, { kind: 'deploy', namespace: { labelSelector: { matchLabels: { a: 'b' } } } }],
    });
    const rbac = await run(['reconcile', 'rbac', '--shell-operator', hooks.folder, '--role-name', 'hooks'], {
      env: hooks.env,
    });
    for (const part of [
      'kind: ClusterRole\n',
      'deployments',
      'namespaces',
      'kind: Role\n',
      'namespace: shop',
      'configmaps',
    ])
      expect(rbac.stdout).toContain(part);
    await hooks.add('b.sh', { kubernetes: [{ kind: 'Pod', jqFilter: '.a |' }] });
    const refused = async (...words: string[]) => await run(['reconcile', ...words], { env: hooks.env });
    const parsed = await refused('--shell-operator', hooks.folder);
    expect(parsed.code).toBe(2);
    expect(parsed.stderr).toContain('error: b.sh kubernetes[0].jqFilter: error parsing jq expression ".a |"');
    expect((await refused('pods', '--shell-operator', hooks.folder)).stderr).toContain(
      '--shell-operator takes no TYPE',
    );
    expect((await refused('--shell-operator', hooks.folder, '-l', 'a=b')).stderr).toContain(
      '--selector does nothing beside',
    );
  });

  it('run in a cluster by a manifest, with their files, their roles and the Services of their webhooks', async () => {
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
    await hooks.add('a/x.sh', { kubernetes: [MAPS], kubernetesValidating: [{ name: 'a.example.com', rules }] });
    await hooks.script('lib/data', 'x', 0o644);
    await hooks.script('.hidden', 'x');
    const manifest = async (...words: string[]) =>
      await run(
        ['reconcile', 'manifest', '--shell-operator', hooks.folder, '--image', 'registry.example.com/i:1', ...words],
        {
          env: hooks.env,
        },
      );
    const { stdout, stderr } = await manifest('--allow-write', '--replicas', '2', '--into', 'shop', '-o', 'json');
    const items = (JSON.parse(stdout) as { items: UnknownObject[] }).items;
    hooks.fixture.sandbox.apply(items);
    expect(items.map(({ kind, metadata: { name } }) => `${kind} ${name}`.replace(/-[0-9a-f]{10}$/, ''))).toEqual([
      'ServiceAccount hooks-operator',
      'ConfigMap hooks-operator-hook',
      'ClusterRole shop:hooks-operator',
      'ClusterRoleBinding shop:hooks-operator',
      'Role hooks-operator',
      'RoleBinding hooks-operator',
      'Service shell-operator-validating-svc',
      'PodDisruptionBudget hooks-operator',
      'Deployment hooks-operator',
    ]);
    const { spec } = items.at(-1) as never as { spec: { template: { spec: PodSpec } } };
    const { containers, volumes } = spec.template.spec;
    expect(containers[0]).toMatchObject({
      args: expect.arrayContaining(['reconcile', '--shell-operator=/hooks', '--allow-write', '--leader-elect']),
      env: expect.arrayContaining([expect.objectContaining({ name: 'SHELL_OPERATOR_NAMESPACE' })]),
      volumeMounts: expect.arrayContaining([{ name: 'hook', mountPath: '/hooks', readOnly: true }]),
    });
    expect(volumes[0]?.configMap?.items).toEqual([
      { key: '0-x.sh', path: 'a/x.sh', mode: 0o555 },
      { key: '1-data', path: 'lib/data', mode: 0o444 },
    ]);
    expect(stderr).toContain('the image must have what the hooks run (1): sh, and perhaps jq and kubectl');
    const inImage = await manifest('--hook-path', '/app/hooks');
    expect(inImage.stdout).toContain('--shell-operator=/app/hooks');
    expect(inImage.stdout).not.toContain('ConfigMap');
    expect((await manifest('--hook-path', 'hooks')).stderr).toContain(
      '--hook-path must be the absolute path of a folder',
    );
  });

  it('see every object also where there are thousands', async () => {
    await hooks.add('a.sh', { kubernetes: [MAPS] });
    const managedFields = [
      { manager: 'me', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
    ];
    hooks.fixture.sandbox.put(
      Array.from({ length: 6_000 }, (_, i) => {
        const map = configMap(`map-${i}`, { text: 'x'.repeat(i % 500) });
        return { ...map, metadata: { ...map.metadata, managedFields } };
      }) as never,
    );
    await using cli = hooks.start();
    await hooks.until('a.sh maps Synchronization 6000');
    expect((await endedWell(cli)).stderr).not.toContain('ERROR');
  });
});
