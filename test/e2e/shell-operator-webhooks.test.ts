import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { configMap } from '../support/fixture.ts';
import { endedWell, MAPS, ShellHooks } from '../support/shell-hooks.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const NAME = 'crontabs.example.com';
type CustomDefinition = UnknownObject & { readonly spec: { readonly conversion?: object } };

/** A definition whose versions differ in the type of `spec.cron`. The first one is stored. */
function crontabs(versions: Readonly<Record<string, 'array' | 'string' | 'integer'>>) {
  return {
    ...DEFINITION,
    metadata: { name: NAME },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
      versions: Object.entries(versions).map(([name, type], i) => {
        const cron = type === 'array' ? { type, items: { type: 'string' } } : { type };
        const spec = { type: 'object', properties: { cron } };
        return {
          name,
          served: true,
          storage: i === 0,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        };
      }),
    },
  };
}

let hooks: ShellHooks;
let client: Client;
beforeEach(async () => {
  hooks = await ShellHooks.make();
  const { url, token, caPem } = hooks.fixture.sandbox;
  client = createClient(createConfig({ server: url, token, tls: { ca: caPem } }));
});
afterEach(async () => {
  await client.close();
  await hooks[Symbol.asyncDispose]();
});

describe('webhooks of hooks of shell-operator', () => {
  it('decide about writes, and change what is written', async () => {
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
    const patch = Buffer.from('[{"op":"add","path":"/data/added","value":"yes"}]').toString('base64');
    const answer = (response: object) => `echo '${JSON.stringify(response)}' > "$VALIDATING_RESPONSE_PATH"`;
    const webhook = (name: string) => [{ name, rules, includeSnapshotsFrom: ['maps'] }];
    await hooks.add(
      'deny.sh',
      { kubernetes: [MAPS], kubernetesValidating: webhook('deny.example.com') },
      `if grep -q '"name":"bad"' "$BINDING_CONTEXT_PATH"; then ${answer({ allowed: false, message: 'not this one' })}; else ${answer({ allowed: true, warnings: ['looked at'] })}; fi`,
    );
    await hooks.add(
      'change.sh',
      { kubernetes: [MAPS], kubernetesMutating: webhook('change.example.com') },
      answer({ allowed: true, patch }),
    );
    const create = async (name: string) =>
      await client.resource(CONFIG_MAPS, { namespace: 'shop' }).create(configMap(name, { a: '1' }));
    await using cli = hooks.start('--allow-write');
    await hooks.until('deny.sh maps Synchronization 0');
    await hooks.until('change.sh maps Synchronization 0');
    const configured = {
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      resource: 'mutatingwebhookconfigurations',
    };
    expect(hooks.fixture.sandbox.get(configured, 'shell-operator-hooks-hooks')).toBeDefined();
    await expect(create('bad')).rejects.toThrow('not this one');
    expect(await create('good')).toMatchObject({ data: { a: '1', added: 'yes' } });
    const review = hooks.runs.find((each) => each.hook === 'deny.sh' && each.contexts[0]?.type === 'Validating')
      ?.contexts[0];
    expect(review).toMatchObject({
      binding: 'deny.example.com',
      snapshots: { maps: expect.anything() },
      review: { request: { operation: 'CREATE' } },
    });
    await endedWell(cli);
    expect(hooks.fixture.sandbox.get(configured, 'shell-operator-hooks-hooks')).toBeUndefined();
  });

  it('convert objects between versions step by step, as the definition says while they run', async () => {
    hooks.fixture.sandbox.apply(crontabs({ v1: 'array', v2: 'string', v3: 'integer' }));
    const convert = (from: string, to: string, jq: string) => `
if jq -e '.[0].fromVersion == "${from}"' "$BINDING_CONTEXT_PATH" > /dev/null; then
  jq '{convertedObjects: (.[0].review.request.objects | map(if .apiVersion == "example.com/${from}" then .apiVersion = "example.com/${to}" | ${jq} else . end))}' "$BINDING_CONTEXT_PATH" > "$CONVERSION_RESPONSE_PATH"
fi`;
    const rules = (...conversions: object[]) => [
      { name: 'crontabs', crdName: NAME, conversions, includeSnapshotsFrom: ['maps'] },
    ];
    await hooks.add(
      'up.sh',
      {
        kubernetes: [MAPS],
        kubernetesCustomResourceConversion: rules(
          { fromVersion: 'v1', toVersion: 'v2' },
          { fromVersion: 'v2', toVersion: 'v3' },
        ),
      },
      convert('v1', 'v2', '.spec.cron |= join(" ")') + convert('v2', 'v3', '.spec.cron |= length'),
    );
    await hooks.add(
      'down.sh',
      {
        kubernetes: [MAPS],
        kubernetesCustomResourceConversion: rules({ fromVersion: 'example.com/v3', toVersion: 'example.com/v1' }),
      },
      `echo '{"failedMessage":"v3 has too little for v1"}' > "$CONVERSION_RESPONSE_PATH"`,
    );
    const at = (version: string) =>
      client.resource<UnknownObject>({ group: 'example.com', version, resource: 'crontabs' }, { namespace: 'shop' });
    const conversion = () =>
      (hooks.fixture.sandbox.get(DEFINITION, NAME) as CustomDefinition | undefined)?.spec.conversion;
    await using cli = hooks.start('--allow-write');
    await hooks.until('up.sh maps Synchronization 0');
    await hooks.until('down.sh maps Synchronization 0');
    await at('v1').create({ metadata: { name: 'a' }, spec: { cron: ['*', '5'] } } as never);
    expect(await at('v2').get('a')).toMatchObject({ apiVersion: 'example.com/v2', spec: { cron: '* 5' } });
    expect(await at('v3').get('a')).toMatchObject({ apiVersion: 'example.com/v3', spec: { cron: 3 } });
    await expect(at('v3').create({ metadata: { name: 'b' }, spec: { cron: 1 } } as never)).rejects.toThrow(
      'conversion webhook for example.com/v3, Kind=CronTab failed: v3 has too little for v1',
    );
    const [first] = hooks.runs.flatMap(({ contexts }) => contexts).filter(({ type }) => type === 'Conversion');
    expect(first).toMatchObject({
      binding: 'crontabs',
      fromVersion: 'v1',
      toVersion: 'v2',
      snapshots: { maps: expect.anything() },
      review: { request: { desiredAPIVersion: 'example.com/v2', objects: [{ spec: { cron: ['*', '5'] } }] } },
    });
    expect(conversion()).toMatchObject({
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1', 'v1beta1'] },
    });
    await endedWell(cli);
    expect(conversion()).toEqual({ strategy: 'None' });
  });

  it('convert as soon as the definition is there', async () => {
    await hooks.add(
      'a.sh',
      {
        onStartup: 1,
        kubernetesCustomResourceConversion: [
          { name: 'a', crdName: NAME, conversions: [{ fromVersion: 'v1', toVersion: 'v2' }] },
        ],
      },
      'exit 1',
    );
    {
      await using cli = hooks.start();
      await cli.until(({ stderr }) =>
        stderr.includes('--allow-write lets this program write them to their definitions'),
      );
      await endedWell(cli);
    }
    await using cli = hooks.start('--allow-write');
    await cli.until(({ stderr }) => stderr.includes(`${NAME} does not exist; its conversions begin when it does`));
    hooks.fixture.sandbox.apply(crontabs({ v1: 'array', v2: 'string' }));
    const at = (version: string) =>
      client.resource<UnknownObject>({ group: 'example.com', version, resource: 'crontabs' }, { namespace: 'shop' });
    await at('v1').create({ metadata: { name: 'a' }, spec: { cron: ['*'] } } as never);
    const read = () =>
      at('v2')
        .get('a')
        .catch((error: Error) => error.message);
    await expect.poll(read, { timeout: 20_000 }).toContain('the hook a.sh failed to convert to v2');
    await endedWell(cli);
  }, 30_000);
});
