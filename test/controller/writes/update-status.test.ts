import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setCondition } from '../../../src/controller/writes/conditions.ts';
import { updateStatus } from '../../../src/controller/writes/update-status.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { definition, thing, version } from '../../support/custom-things.ts';
import { CONFIG_MAPS, type InProcess, inProcess } from '../../support/in-process.ts';

interface Thing extends KubeObject {
  spec?: { size?: number };
  status?: { phase?: string; observedGeneration?: number; conditions?: { type: string; status: string }[] };
}

const THINGS = { group: 'example.com', version: 'v1', resource: 'things' };
let world: InProcess;

beforeEach(async () => {
  const subresources = { subresources: { status: {} } };
  world = await inProcess({
    objects: [definition([version({ ...subresources, spec: { properties: { size: { type: 'integer' } } } })])],
  });
});
afterEach(() => world.sandbox.stop());

async function setup() {
  const { sandbox, client, clock, sent } = world;
  const resource = client.resource<Thing>(THINGS, { namespace: 'default' });
  await resource.create(thing({ size: 1 }));
  const read = await resource.get('a');
  sent.length = 0;
  const requests = () => sent.splice(0).map(({ method, path }) => `${method} ${path.replace(/.*\/things\//, '')}`);
  return { sandbox, resource, clock, read, sent, requests, stored: () => sandbox.get(THINGS, 'default/a') as Thing };
}

const phase = (value: string) => (draft: Thing) => {
  draft.status = { ...draft.status, phase: value };
};

describe('an update of a status', () => {
  it('sends what differs, to the status, with the version as a condition, and leaves the given object as it is', async () => {
    const { resource, read, requests, sent, stored } = await setup();
    const version = read.metadata.resourceVersion;
    const { result, object } = await updateStatus(resource, Object.freeze(read), phase('Up'));
    expect(result).toBe('updated');
    expect([object.status, stored().status]).toEqual([{ phase: 'Up' }, { phase: 'Up' }]);
    expect(read.status).toBeUndefined();
    expect(JSON.parse(String(sent[0]?.body))).toEqual({
      metadata: { resourceVersion: version },
      status: { phase: 'Up' },
    });
    expect(requests()).toEqual(['PATCH a/status']);
  });

  it('sends nothing if the status stays equal, also if it is computed again', async () => {
    const { resource, read, requests, clock } = await setup();
    const computed = (draft: Thing, generation: number | undefined) => {
      const ready = { type: 'Ready', status: 'True', reason: 'Up', observedGeneration: generation } as const;
      draft.status = { phase: 'Up', conditions: setCondition(draft.status?.conditions, ready, { clock }) };
    };
    const { object } = await updateStatus(resource, read, computed);
    requests();
    await clock.advance(60_000);
    expect(await updateStatus(resource, object, computed)).toEqual({ result: 'unchanged', object });
    expect(requests()).toEqual([]);
  });

  it('reads the object on a conflict and computes the status again on what is there, with the generation that was seen', async () => {
    const { resource, read, stored, requests, clock } = await setup();
    await resource.patch('a', { spec: { size: 2 } }, { type: 'merge' });
    await resource.patch(
      'a',
      { status: { conditions: [{ type: 'Other', status: 'True' }] } },
      { type: 'merge', subresource: 'status' },
    );
    requests();
    const seen: unknown[] = [];
    const updating = updateStatus(
      resource,
      read,
      (draft, generation) => {
        seen.push([draft.spec?.size, generation]);
        draft.status = { ...draft.status, phase: 'Up', observedGeneration: generation ?? 0 };
      },
      { clock },
    );
    await clock.advance(100);
    expect((await updating).result).toBe('updated');
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(stored()).toMatchObject({
      metadata: { generation: 2 },
      spec: { size: 2 },
      status: { phase: 'Up', observedGeneration: 1, conditions: [{ type: 'Other', status: 'True' }] },
    });
    expect(requests()).toEqual(['PATCH a/status', 'GET a', 'PATCH a/status']);
  });

  it('sends nothing more if the read after a conflict shows the status as it should be', async () => {
    const { resource, read, requests, clock } = await setup();
    await updateStatus(resource, read, phase('Up'));
    requests();
    const again = updateStatus(resource, read, phase('Up'), { clock });
    await clock.advance(100);
    expect((await again).result).toBe('unchanged');
    expect(requests()).toEqual(['PATCH a/status', 'GET a']);
  });

  it('gives up after four conflicts', async () => {
    const { resource, read, requests, clock } = await setup();
    let size = 1;
    const raced = async (draft: Thing) => {
      await resource.patch('a', { spec: { size: ++size } }, { type: 'merge' }); // another writer, each time
      draft.status = { phase: 'Up' };
    };
    const updating = updateStatus(resource, read, raced, { clock });
    const refused = expect(updating).rejects.toMatchObject({ statusCode: 409, hint: undefined });
    await clock.advance(10_000);
    await refused;
    expect(requests().filter((line) => line === 'PATCH a/status')).toHaveLength(4);
  });

  it('reads an object that was given without a version', async () => {
    const { resource, stored, requests } = await setup();
    await updateStatus(resource, { metadata: { name: 'a', namespace: 'default' } }, phase('Up'));
    expect(stored().status).toEqual({ phase: 'Up' });
    expect(requests()).toEqual(['GET a', 'PATCH a/status']);
  });

  it('rejects with NotFound if the object is gone, or if its name belongs to another object', async () => {
    const { resource, read, clock, stored } = await setup();
    await resource.delete('a');
    await expect(updateStatus(resource, read, phase('Up'))).rejects.toMatchObject({ statusCode: 404 });
    await resource.create(thing({ size: 5 }));
    const updating = updateStatus(resource, read, phase('Up'), { clock });
    const refused = expect(updating).rejects.toMatchObject({
      statusCode: 404,
      message: 'Thing "a" was deleted and created again',
    });
    await clock.advance(10_000);
    await refused;
    expect(stored().status).toBeUndefined();
  });

  it('refuses a change of anything else, and sends nothing then', async () => {
    const { resource, read, requests } = await setup();
    const both = (draft: Thing) => {
      draft.spec = { size: 7 };
      draft.status = { phase: 'Up' };
    };
    await expect(updateStatus(resource, read, both)).rejects.toMatchObject({
      code: 'argument',
      message: 'updateStatus writes only the status, but spec was changed',
    });
    expect(requests()).toEqual([]);
  });

  it.each([403, 503] as const)('passes on an answer %i as it is', async (code) => {
    const { sandbox, resource, read } = await setup();
    sandbox.faults.add({ fault: { kind: 'status', code }, match: { method: 'PATCH' } });
    const error = await updateStatus(resource, read, phase('Up')).catch((thrown) => thrown);
    expect(error).toMatchObject({ statusCode: code });
    expect(String(error.hint)).not.toContain('subresource');
  });

  it('says that a type may lack the status subresource', async () => {
    const { sandbox, client } = world;
    sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });
    const resource = client.resource<Thing>(CONFIG_MAPS, { namespace: 'default' });
    await expect(updateStatus(resource, await resource.get('a'), phase('Up'))).rejects.toMatchObject({
      statusCode: 404,
      hint: expect.stringContaining('subresources: { status: {} }'),
    });
  });
});
