import { describe, expect, it } from 'vitest';
import { createOrPatch, createOrUpdate } from '../../../src/controller/writes/create-or-update.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { CONFIG_MAPS, type ConfigMap, inProcess } from '../../support/in-process.ts';

const named = (): ConfigMap => ({ metadata: { name: 'settings', namespace: 'shop' } });
const settings = (value: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...named(), data: { value } });

async function setup(...objects: object[]) {
  const { sandbox, client, sent } = await inProcess({
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, ...objects],
  });
  const resource = client.resource<ConfigMap>(CONFIG_MAPS, { namespace: 'shop' });
  return {
    sandbox,
    resource,
    stored: () => sandbox.get(CONFIG_MAPS, 'shop/settings'),
    sent,
    verbs: () => sent.map(({ method }) => method),
  };
}

const setTo = (value: string) => (object: ConfigMap) => {
  object.data = { value };
};

describe('create or update', () => {
  it('creates an object that does not exist [UTL-01]', async () => {
    const { resource, stored, verbs } = await setup();
    expect(await createOrUpdate(resource, named(), setTo('a'))).toBe('created');
    expect(stored()).toMatchObject(settings('a'));
    expect(verbs()).toEqual(['GET', 'POST']);
  });

  it('updates the object that was read, if it differs [UTL-01]', async () => {
    const { resource, sent, stored, verbs } = await setup(settings('a'));
    const read = stored();
    expect(await createOrUpdate(resource, named(), setTo('b'))).toBe('updated');
    expect(stored()).toMatchObject(settings('b'));
    expect(verbs()).toEqual(['GET', 'PUT']);
    expect(JSON.parse(String(sent[1]?.body))).toEqual({ ...read, data: { value: 'b' } });
  });

  it('writes nothing if nothing differs [UTL-01]', async () => {
    const { resource, verbs } = await setup(settings('a'));
    expect(await createOrUpdate(resource, named(), setTo('a'))).toBe('unchanged');
    expect(verbs()).toEqual(['GET']);
  });

  it('waits for an asynchronous change, and for the write', async () => {
    const later = async (object: ConfigMap) => {
      await new Promise((resolve) => setImmediate(resolve));
      object.data = { value: 'late' };
    };
    for (const objects of [[], [settings('a')]]) {
      const { sandbox, resource, stored } = await setup(...objects);
      await createOrUpdate(resource, named(), later);
      expect(stored()).toMatchObject(settings('late'));
      sandbox.faults.add({
        fault: { kind: 'status', code: 403 },
        match: { method: objects.length > 0 ? 'PUT' : 'POST' },
      });
      if (objects.length === 0) sandbox.delete(CONFIG_MAPS, 'shop/settings');
      await expect(createOrUpdate(resource, named(), setTo('b'))).rejects.toMatchObject({ statusCode: 403 });
    }
  });

  it('has the version that was read as its condition, or the one that the change sets', async () => {
    const { resource, stored } = await setup(settings('a'));
    const first = stored()?.metadata.resourceVersion as string;
    const toVersion = (version: string | undefined, value: string) => (object: ConfigMap) => {
      if (version === undefined) delete object.metadata.resourceVersion;
      else object.metadata.resourceVersion = version;
      object.data = { value };
    };
    expect(await createOrUpdate(resource, named(), toVersion(undefined, 'b'))).toBe('updated');
    await expect(createOrUpdate(resource, named(), toVersion(first, 'c'))).rejects.toMatchObject({ statusCode: 409 });
    expect(stored()).toMatchObject(settings('b'));
  });

  it.each([createOrUpdate, createOrPatch] as ((...all: unknown[]) => Promise<unknown>)[])(
    'refuses a change that is no function, before anything is sent: %o',
    async (write) => {
      const { resource, verbs } = await setup(settings('a'));
      await expect(write(resource, named(), { data: {} })).rejects.toMatchObject({ code: 'argument' });
      expect(verbs()).toEqual([]);
    },
  );

  it('refuses to rename [UTL-01]', async () => {
    const { resource, verbs } = await setup(settings('a'));
    const rename = (object: ConfigMap) => {
      object.metadata.name = 'other';
    };
    await expect(createOrUpdate(resource, named(), rename)).rejects.toThrow('cannot mutate object name');
    expect(verbs()).toEqual(['GET']);
  });

  it('writes nothing if the read fails with another error than 404 [UTL-01]', async () => {
    const { sandbox, resource, verbs } = await setup();
    sandbox.faults.add({ fault: { kind: 'refuse' } });
    await expect(createOrUpdate(resource, named(), setTo('a'))).rejects.toThrow('ECONNREFUSED');
    expect(verbs()).toEqual(['GET']);
  });

  it('refuses a resource without the namespace of the object, where it would look absent', async () => {
    const { client, sent } = await inProcess({ objects: [settings('a')] });
    await expect(createOrUpdate(client.resource<ConfigMap>(CONFIG_MAPS), named(), setTo('a'))).rejects.toMatchObject({
      code: 'argument',
      message: 'the object is in the namespace "shop", but the resource has no namespace',
    });
    expect(sent).toEqual([]);
  });

  it('takes a resource that does not say its namespace', async () => {
    const { resource, stored } = await setup();
    const bare = {
      get: (name: string) => resource.get(name),
      create: (object: ConfigMap) => resource.create(object),
      update: (object: ConfigMap) => resource.update(object),
    };
    expect(await createOrUpdate(bare, named(), setTo('a'))).toBe('created');
    expect(await createOrUpdate(bare, named(), setTo('b'))).toBe('updated');
    expect(stored()).toMatchObject(settings('b'));
  });

  it('is conditional on the version that was read, also if the metadata was replaced', async () => {
    const { sandbox, resource, stored } = await setup(settings('a'));
    const raced = (object: ConfigMap) => {
      sandbox.apply({ ...settings('other') });
      object.metadata = { name: 'settings', namespace: 'shop' };
      object.data = { value: 'b' };
    };
    await expect(createOrUpdate(resource, named(), raced)).rejects.toMatchObject({ statusCode: 409 });
    expect(stored()).toMatchObject({ data: { value: 'other' } });
  });
});

interface Deployment extends KubeObject {
  spec?: {
    replicas?: number;
    paused?: boolean;
    selector: object;
    template: { metadata?: object; spec?: Record<string, unknown> };
  };
  status?: { readyReplicas?: number };
}

const DEPLOYMENTS = parseGvr('apps/v1/deployments');

interface StoredDeployment extends Deployment {
  spec: NonNullable<Deployment['spec']> & {
    template: { spec: Record<string, unknown> & { containers: Record<string, unknown>[] } };
  };
}

let seed = 100;

/** A server whose objects have uids of their own: what was written is remembered by uid. */
async function deployments() {
  const { sandbox, client, sent } = await inProcess({ seed: seed++ });
  const resource = client.resource<Deployment>(DEPLOYMENTS, { namespace: 'default' });
  const stored = () => sandbox.get(DEPLOYMENTS, 'default/web') as unknown as StoredDeployment;
  const writes = () => sent.splice(0).flatMap(({ method }) => (method === 'GET' ? [] : [method]));
  return { sandbox, client, sent, resource, stored, writes };
}

const web = (): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
});
const labels = { app: 'web' };

/** Replaces the template by a literal at each run, without what the server adds to it. */
const template =
  (container: object = {}, pod: object = {}) =>
  (deployment: Deployment) => {
    const containers = [{ name: 'c', image: 'nginx:1.27', ports: [{ containerPort: 80 }], ...container }];
    const spec = { containers, volumes: [{ name: 'v', configMap: { name: 'cm' } }], ...pod };
    deployment.spec = {
      ...deployment.spec,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    };
  };

describe.each([
  ['createOrUpdate', createOrUpdate],
  ['createOrPatch', createOrPatch],
])('%s of a Deployment whose template is a literal', (_, create) => {
  it('writes nothing at further runs, although the server added defaults', async () => {
    const { resource, stored, writes } = await deployments();
    expect(await create(resource, web(), template())).toBe('created');
    const first = stored();
    expect(first.spec.template.spec).toMatchObject({ restartPolicy: 'Always', terminationGracePeriodSeconds: 30 });
    for (let run = 0; run < 5; run++) expect(await create(resource, web(), template())).toBe('unchanged');
    expect(writes()).toEqual(['POST']);
    expect(stored()).toEqual(first);
  });

  it('sends at most one write that changes nothing if it did not create the object itself', async () => {
    const { sandbox, resource, stored, writes } = await deployments();
    const made = web();
    template()(made);
    sandbox.apply(made);
    const first = stored();
    for (let run = 0; run < 5; run++) expect(await create(resource, web(), template())).toBe('unchanged');
    expect(writes()).toHaveLength(1);
    expect(stored()).toEqual(first);
  });

  it('writes each change of the literal, also the removal of a part', async () => {
    const { resource, stored, writes } = await deployments();
    const env = { env: [{ name: 'A', value: '1' }] };
    await create(resource, web(), template(env));
    expect(await create(resource, web(), template({ ...env, image: 'nginx:1.28' }))).toBe('updated');
    expect(await create(resource, web(), template({ image: 'nginx:1.28' }))).toBe('updated');
    expect(stored().spec.template.spec.containers).toEqual([
      expect.objectContaining({ image: 'nginx:1.28', imagePullPolicy: 'IfNotPresent' }),
    ]);
    expect(stored().spec.template.spec.containers[0]).not.toHaveProperty('env');
    expect(await create(resource, web(), template({ image: 'nginx:1.28' }))).toBe('unchanged');
    expect(await create(resource, web(), template({ image: 'nginx:1.28' }, { volumes: undefined }))).toBe('updated');
    expect(stored().spec.template.spec).not.toHaveProperty('volumes');
    expect(writes()).toHaveLength(4);
  });

  it('repairs what another writer changed: a value that it asks for, and a default', async () => {
    const { resource, stored, writes } = await deployments();
    await create(resource, web(), template());
    const foreign = (spec: Record<string, unknown>) =>
      resource.patch('web', { spec: { template: { spec } } }, { type: 'strategic' });
    await foreign({ containers: [{ name: 'c', image: 'evil' }] });
    expect(await create(resource, web(), template())).toBe('updated');
    await foreign({ terminationGracePeriodSeconds: 5 });
    expect(await create(resource, web(), template())).toBe('updated');
    expect(stored().spec.template.spec).toMatchObject({
      terminationGracePeriodSeconds: 30,
      containers: [{ image: 'nginx:1.27' }],
    });
    writes();
    expect(await create(resource, web(), template())).toBe('unchanged');
    expect(writes()).toEqual([]);
  });

  it('keeps what other writers changed elsewhere: replicas, annotations, the status', async () => {
    const { resource, stored, writes } = await deployments();
    await create(resource, web(), template());
    await resource.patch(
      'web',
      { metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } } },
      { type: 'merge' },
    );
    await resource.patch('web', { status: { readyReplicas: 1 } }, { type: 'merge', subresource: 'status' });
    writes();
    expect(await create(resource, web(), template())).toBe('unchanged');
    expect(writes()).toEqual([]);
    await resource.patch('web', { spec: { replicas: 3 } }, { type: 'merge' });
    writes();
    for (let run = 0; run < 3; run++) expect(await create(resource, web(), template())).toBe('unchanged');
    expect(writes()).toHaveLength(1); // the spec has changed, so the server is asked once
    expect(stored()).toMatchObject({ spec: { replicas: 3 }, status: { readyReplicas: 1 } });
  });
});

describe('create or patch', () => {
  const paused = (deployment: Deployment) => {
    if (deployment.spec) deployment.spec.paused = true;
  };
  const ready = (deployment: Deployment) => {
    deployment.status = { readyReplicas: 1 };
  };
  const both = (deployment: Deployment) => {
    paused(deployment);
    ready(deployment);
  };

  it('says whether it wrote the object, its status, or both, and sends only what differs', async () => {
    for (const [mutate, result, bodies] of [
      [paused, 'updated', [{ spec: { paused: true } }]],
      [ready, 'updatedStatusOnly', [{ status: { readyReplicas: 1 } }]],
      [both, 'updatedStatus', [{ spec: { paused: true } }, { status: { readyReplicas: 1 } }]],
    ] as const) {
      const { sandbox, resource, sent } = await deployments();
      const made = web();
      template()(made);
      sandbox.apply(made);
      expect(await createOrPatch(resource, web(), mutate)).toBe(result);
      const patches = sent.filter(({ method }) => method === 'PATCH');
      expect(patches.map(({ body }) => JSON.parse(String(body)))).toEqual(bodies);
      expect(await createOrPatch(resource, web(), mutate)).toBe('unchanged');
      expect(sent.filter(({ method }) => method === 'PATCH')).toHaveLength(patches.length);
    }
  });

  it('does not write the status of an object that it creates', async () => {
    const { resource, stored, writes } = await deployments();
    const made = (deployment: Deployment) => {
      template()(deployment);
      ready(deployment);
    };
    expect(await createOrPatch(resource, web(), made)).toBe('created');
    expect(writes()).toEqual(['POST']);
    expect(stored().status).toEqual({});
    expect(await createOrPatch(resource, web(), made)).toBe('updatedStatusOnly');
    expect(stored().status).toEqual({ readyReplicas: 1 });
  });

  it('refuses to rename', async () => {
    const { resource, writes } = await deployments();
    await createOrPatch(resource, web(), template());
    writes();
    const renamed = createOrPatch(resource, web(), (deployment) => {
      deployment.metadata.name = 'other';
    });
    await expect(renamed).rejects.toThrow('cannot mutate object name');
    expect(writes()).toEqual([]);
  });
});

interface Secret extends KubeObject {
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

it.each([
  ['createOrUpdate', createOrUpdate],
  ['createOrPatch', createOrPatch],
])('%s repairs what it writes through a field that is never stored', async (_, create) => {
  const SECRETS = parseGvr('v1/secrets');
  const { client, sandbox, sent } = await inProcess({ seed: seed++ });
  const resource = client.resource<Secret>(SECRETS, { namespace: 'default' });
  const secret = () => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } });
  const stored = () => (sandbox.get(SECRETS, 'default/s') as Secret | undefined)?.data;
  const run = (password: string) =>
    create(resource, secret(), (object: Secret) => {
      object.stringData = { password };
    });
  const results = [await run('one'), await run('one')];
  sent.length = 0;
  results.push(await run('one'));
  expect(results).toEqual(['created', 'unchanged', 'unchanged']);
  expect(sent.map(({ method }) => method)).toEqual(['GET']);
  await resource.patch('s', { data: { password: 'ZHJpZnQ=' } }, { type: 'merge' });
  expect(await run('one')).toBe('updated');
  expect(stored()).toEqual({ password: 'b25l' });
  expect(await run('two')).toBe('updated');
  expect(stored()).toEqual({ password: 'dHdv' });
});

describe.each([
  ['createOrUpdate', createOrUpdate],
  ['createOrPatch', createOrPatch],
] as const)('%s with the cached object', (_, write) => {
  it('sends nothing if nothing is to do, and leaves the cached object as it is', async () => {
    const { resource, verbs, stored } = await setup(settings('a'));
    const current = Object.freeze(stored() as ConfigMap);
    expect(await write(resource, named(), setTo('a'), { current })).toBe('unchanged');
    expect(verbs()).toEqual([]);
  });

  it('reads the object if the cached one differs, and may find that the cache was behind', async () => {
    const { resource, verbs, stored, sandbox } = await setup(settings('a'));
    const current = stored() as ConfigMap;
    sandbox.apply(settings('b'));
    expect(await write(resource, named(), setTo('b'), { current })).toBe('unchanged');
    expect(verbs()).toEqual(['GET']);
    expect(await write(resource, named(), setTo('c'), { current })).toBe('updated');
    expect(stored()).toMatchObject(settings('c'));
  });

  it('reads an object that the cache does not have, and refuses another one', async () => {
    const { resource, verbs, stored } = await setup(settings('a'));
    const current = stored() as ConfigMap;
    expect(await write(resource, named(), setTo('a'), { current: undefined })).toBe('unchanged');
    expect(verbs()).toEqual(['GET']);
    const elsewhere = { ...current, metadata: { ...current.metadata, namespace: 'bank' } };
    const inBank = { metadata: { name: 'settings', namespace: 'bank' } };
    await expect(write(resource, inBank, () => {}, { current: elsewhere })).rejects.toThrow('in the namespace "bank"');
    const other = { ...current, metadata: { ...current.metadata, name: 'other' } };
    await expect(write(resource, named(), setTo('a'), { current: other })).rejects.toThrow(
      'current is shop/other, not shop/settings',
    );
  });
});
