import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

let fixture: Fixture;
let hooks: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  fixture = await startFixture();
  const runtime = path.join(fixture.folder, 'run');
  await mkdir(runtime, { mode: 0o700 });
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  hooks = path.join(fixture.folder, 'hooks');
  await mkdir(hooks);
});
afterEach(() => fixture[Symbol.asyncDispose]());

/** A hook that appends its contexts to a file, and then does `more`. */
async function hook(name: string, config: object, more = ''): Promise<void> {
  const file = path.join(hooks, name);
  await mkdir(path.dirname(file), { recursive: true });
  const text = `#!/bin/sh
if [ "$1" = --config ]; then cat <<'EOF'
${JSON.stringify({ configVersion: 'v1', ...config })}
EOF
exit; fi
printf '%s %s\\n' '${name}' "$(cat "$BINDING_CONTEXT_PATH")" >> '${seenFile()}'
${more}
`;
  await writeFile(file, text);
  await chmod(file, 0o755);
}

const seenFile = () => path.join(fixture.folder, 'seen');
type Context = Record<string, unknown> & {
  readonly objects?: readonly { readonly object: UnknownObject }[];
  readonly object?: UnknownObject;
};

/** The runs so far: the hook, and its contexts. */
function seen(): { hook: string; contexts: Context[] }[] {
  if (!existsSync(seenFile())) return [];
  return readFileSync(seenFile(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const at = line.indexOf(' ');
      return { hook: line.slice(0, at), contexts: JSON.parse(line.slice(at + 1)) as Context[] };
    });
}

/** `a.sh Event Added web` */
const lines = () =>
  seen().flatMap((each) =>
    each.contexts.map(({ binding, type, watchEvent, object, objects }) =>
      [
        each.hook,
        binding,
        type,
        watchEvent,
        object?.metadata.name,
        objects
          ?.map((each) => each.object.metadata.name)
          .filter((name) => !['kube-root-ca.crt', 'settings'].includes(name ?? ''))
          .length.toString(),
      ]
        .filter(Boolean)
        .join(' '),
    ),
  );

const started = (...words: string[]) => new Cli(['reconcile', '--shell-operator', hooks, ...words], { env });
const until = async (line: string) => await expect.poll(lines).toContain(line);

async function ended(cli: Cli) {
  cli.kill('SIGTERM');
  const end = await cli.ended();
  expect(end.code, end.stderr).toBe(0);
  return end;
}

const MAPS = { name: 'maps', kind: 'ConfigMap', namespace: { nameSelector: { matchNames: ['shop'] } } };

describe('hooks of shell-operator', () => {
  it('run at the start, then with the whole state of each binding, then with its events', async () => {
    await hook('b.sh', { onStartup: 1 });
    await hook('a/x.sh', { onStartup: 2, kubernetes: [MAPS] });
    fixture.sandbox.apply(configMap('one', { size: '1' }));
    await using cli = started();
    await until('a/x.sh maps Synchronization 1');
    fixture.sandbox.apply(configMap('two', { size: '1' }));
    await until('a/x.sh maps Event Added two');
    fixture.sandbox.apply(configMap('two', { size: '2' }));
    await until('a/x.sh maps Event Modified two');
    fixture.sandbox.delete(CONFIG_MAPS, 'shop/two');
    await until('a/x.sh maps Event Deleted two');
    expect(lines().slice(0, 3)).toEqual(['b.sh onStartup', 'a/x.sh onStartup', 'a/x.sh maps Synchronization 1']);
    const end = await ended(cli);
    expect(end.stderr).toContain(`2 hooks of ${hooks}: a/x.sh, b.sh`);
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
    await hook('a.sh', { kubernetes: [filtered] }, `echo '${JSON.stringify(operation)}' > "$KUBERNETES_PATCH_PATH"`);
    fixture.sandbox.apply(configMap('one', { size: '1' }));
    const annotations = () => (fixture.sandbox.get(CONFIG_MAPS, 'shop/one') as UnknownObject).metadata.annotations;
    let size = 1;
    const changing = async (cli: Cli, line: string) =>
      await cli.until(({ stdout }) => {
        fixture.sandbox.apply(configMap('one', { size: `${size++}` }));
        return stdout.includes(line);
      }, line);
    {
      await using cli = started();
      await cli.until(({ stderr }) => stderr.includes('not sent; --allow-write sends it'));
      await changing(cli, 'a.sh/maps: would patch v1/configmaps shop/one');
      expect(annotations()?.seen).toBeUndefined();
    }
    await using cli = started('--allow-write');
    await changing(cli, 'a.sh/maps: patch v1/configmaps shop/one');
    expect(annotations()?.seen).toBe('yes');
    await ended(cli);
  });

  it('are tried again after a failure, and hold up their queue but no other', async () => {
    await hook(
      'bad.sh',
      { kubernetes: [{ ...MAPS, queue: 'slow' }] },
      'grep -q Event "$BINDING_CONTEXT_PATH" && { echo no such team >&2; exit 3; } || true',
    );
    await hook('good.sh', { kubernetes: [MAPS] });
    await using cli = started();
    await until('good.sh maps Synchronization 0');
    await until('bad.sh maps Synchronization 0');
    fixture.sandbox.apply(configMap('one', {}));
    await until('good.sh maps Event Added one');
    await cli.until(({ stderr }) => stderr.includes('bad.sh/maps: failed (attempt 1), again in 5s'), 'the failure');
    expect(cli.stderr).toContain('the hook bad.sh exited with 3: no such team');
    const queue = await run(['queue', 'list', '--name', 'hooks'], { env });
    expect(queue.stdout).toMatch(/^bad\.sh\/maps +delayed /m);
    const explained = await run(['reconcile', 'explain', 'bad.sh/maps', '--name', 'hooks'], { env });
    expect(explained.stdout).toMatch(/failed 1 times in the queue slow, which waits for it, and is tried again in/);
    const idle = await run(['reconcile', 'explain', 'good.sh/maps', '--name', 'hooks'], { env });
    expect(idle.stdout).toMatch(/waits for nothing; its last run succeeded \S+ ago; it has \d objects/);
    await ended(cli);
  });

  it('see every object again after kill -9, and every event after an outage and a lost history', async () => {
    await hook('a.sh', { kubernetes: [MAPS] });
    fixture.sandbox.apply(configMap('one', {}));
    {
      await using cli = started();
      await until('a.sh maps Synchronization 1');
      fixture.sandbox.apply(configMap('two', {}));
      await until('a.sh maps Event Added two');
      cli.kill('SIGKILL');
      await cli.ended();
    }
    fixture.sandbox.apply(configMap('three', {}));
    await using cli = started();
    await until('a.sh maps Synchronization 3');
    fixture.sandbox.delete(CONFIG_MAPS, 'shop/one');
    fixture.sandbox.apply(configMap('four', {}));
    fixture.sandbox.compact({ watches: true }); // each watch ends with 410
    await until('a.sh maps Event Deleted one');
    await until('a.sh maps Event Added four');
    await ended(cli);
  });

  it('serve their metrics, and are refused with the hook and the field', async () => {
    await hook('a.sh', { onStartup: 1 }, `echo '{"name":"seen","add":2}' > "$METRICS_PATH"`);
    {
      await using cli = started('--metrics', ':0');
      await cli.until(({ stderr }) => /http:\S+/.test(stderr) && seen().length > 0);
      const address = /http:\S+/.exec(cli.stderr)?.[0];
      const page = async () => await (await fetch(`${address}/metrics`)).text();
      await expect.poll(page).toContain('seen{hook="a.sh"} 2');
      await ended(cli);
    }
    await hook('c.sh', {
      kubernetes: [MAPS, { kind: 'deploy', namespace: { labelSelector: { matchLabels: { a: 'b' } } } }],
    });
    const rbac = await run(['reconcile', 'rbac', '--shell-operator', hooks, '--role-name', 'hooks'], { env });
    for (const part of [
      'kind: ClusterRole\n',
      'deployments',
      'namespaces',
      'kind: Role\n',
      'namespace: shop',
      'configmaps',
    ])
      expect(rbac.stdout).toContain(part);
    await hook('b.sh', { kubernetes: [{ kind: 'Pod', jqFilter: '.a |' }] });
    const refused = async (...words: string[]) => await run(['reconcile', ...words], { env });
    const parsed = await refused('--shell-operator', hooks);
    expect(parsed.code).toBe(2);
    expect(parsed.stderr).toContain('error: b.sh kubernetes[0].jqFilter: error parsing jq expression ".a |"');
    expect((await refused('pods', '--shell-operator', hooks)).stderr).toContain('--shell-operator takes no TYPE');
    expect((await refused('--shell-operator', hooks, '-l', 'a=b')).stderr).toContain('--selector does nothing beside');
  });

  it('decide about writes, and change what is written', async () => {
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
    const patch = Buffer.from('[{"op":"add","path":"/data/added","value":"yes"}]').toString('base64');
    const answer = (response: object) => `echo '${JSON.stringify(response)}' > "$VALIDATING_RESPONSE_PATH"`;
    const webhook = (name: string) => [{ name, rules, includeSnapshotsFrom: ['maps'] }];
    await hook(
      'deny.sh',
      { kubernetes: [MAPS], kubernetesValidating: webhook('deny.example.com') },
      `if grep -q '"name":"bad"' "$BINDING_CONTEXT_PATH"; then ${answer({ allowed: false, message: 'not this one' })}; else ${answer({ allowed: true, warnings: ['looked at'] })}; fi`,
    );
    await hook(
      'change.sh',
      { kubernetes: [MAPS], kubernetesMutating: webhook('change.example.com') },
      answer({ allowed: true, patch }),
    );
    const { url, token, caPem } = fixture.sandbox;
    const client = createClient(createConfig({ server: url, token, tls: { ca: caPem } }));
    const create = async (name: string) =>
      await client.resource(CONFIG_MAPS, { namespace: 'shop' }).create(configMap(name, { a: '1' }));
    await using cli = started('--allow-write');
    await until('deny.sh maps Synchronization 0');
    await until('change.sh maps Synchronization 0');
    const configured = {
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      resource: 'mutatingwebhookconfigurations',
    };
    expect(fixture.sandbox.get(configured, 'shell-operator-hooks-hooks')).toBeDefined();
    await expect(create('bad')).rejects.toThrow('not this one');
    expect(await create('good')).toMatchObject({ data: { a: '1', added: 'yes' } });
    const review = seen().find((each) => each.hook === 'deny.sh' && each.contexts[0]?.type === 'Validating')
      ?.contexts[0];
    expect(review).toMatchObject({
      binding: 'deny.example.com',
      snapshots: { maps: expect.anything() },
      review: { request: { operation: 'CREATE' } },
    });
    client.close();
    await ended(cli);
    expect(fixture.sandbox.get(configured, 'shell-operator-hooks-hooks')).toBeUndefined();
  });

  it('see every object also where there are thousands', async () => {
    await hook('a.sh', { kubernetes: [MAPS] });
    const managedFields = [
      { manager: 'me', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
    ];
    fixture.sandbox.put(
      Array.from({ length: 6_000 }, (_, i) => {
        const map = configMap(`map-${i}`, { text: 'x'.repeat(i % 500) });
        return { ...map, metadata: { ...map.metadata, managedFields } };
      }) as never,
    );
    await using cli = started();
    await until('a.sh maps Synchronization 6000');
    expect((await ended(cli)).stderr).not.toContain('ERROR');
  });
});
