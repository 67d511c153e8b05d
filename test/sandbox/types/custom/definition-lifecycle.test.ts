import { describe, expect, it } from 'vitest';
import { CRDS, causesOf, definition, THINGS, thing, useThings, version } from '../../../support/custom-things.ts';
import { ask } from '../../../support/sandbox-requests.ts';

const things = useThings();

describe('the life of a definition', () => {
  const crd = async () => (await ask(things.sandbox, 'GET', `${CRDS}/things.example.com`)).body;
  const conditions = async () =>
    ((await crd()).status.conditions as { type: string; status: string; reason: string; message: string }[]) ?? [];

  it('waits for names that another definition uses, and gets them when that is deleted', async () => {
    things.serve({});
    const rival = { ...definition([version()]), metadata: { name: 'rivals.example.com' } };
    rival.spec = { ...rival.spec, names: { plural: 'rivals', kind: 'Thing' } };
    await ask(things.sandbox, 'POST', CRDS, rival);
    await things.clock.advance(100);
    const refused = (await ask(things.sandbox, 'GET', `${CRDS}/rivals.example.com`)).body.status.conditions as Record<
      string,
      string
    >[];
    expect(refused.map((c) => [c.type, c.status, c.reason, c.message])).toEqual([
      ['NamesAccepted', 'False', 'ListKindConflict', '"ThingList" is already in use'],
      ['Established', 'False', 'NotAccepted', 'not all names are accepted'],
    ]);
    expect((await ask(things.sandbox, 'GET', '/apis/example.com/v1/rivals')).status).toBe(404);
    await ask(things.sandbox, 'DELETE', `${CRDS}/things.example.com`);
    await things.clock.advance(200);
    expect((await ask(things.sandbox, 'GET', '/apis/example.com/v1/rivals')).status).toBe(200);
  });

  it('is deleted after its objects, whose finalizers delay it; no object can be created meanwhile', async () => {
    things.serve({});
    await ask(things.sandbox, 'POST', THINGS, { ...thing({}), metadata: { name: 'a', finalizers: ['example.com/x'] } });
    await things.post({}, 'b');
    await ask(things.sandbox, 'DELETE', `${CRDS}/things.example.com`);
    expect((await conditions()).at(-1)).toMatchObject({ type: 'Terminating', reason: 'InstanceDeletionPending' });
    await things.clock.advance(1_000);
    expect((await conditions()).at(-1)).toMatchObject({
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
    });
    expect((await ask(things.sandbox, 'GET', THINGS)).body.items.map((o) => o.metadata.name)).toEqual(['a']);
    const refused = await things.post({}, 'c');
    expect([refused.status, refused.body.reason, refused.body.message]).toEqual([
      405,
      'MethodNotAllowed',
      'create not allowed while custom resource definition is terminating',
    ]);
    await ask(things.sandbox, 'PATCH', `${THINGS}/a`, { metadata: { finalizers: null } });
    await things.clock.advance(1_000);
    expect((await ask(things.sandbox, 'GET', `${CRDS}/things.example.com`)).status).toBe(404);
    expect((await ask(things.sandbox, 'GET', THINGS)).status).toBe(404);
  });

  it('records every version in which it stored objects', async () => {
    things.serve({});
    things.sandbox.apply(definition([version({ storage: false }), version({ name: 'v2' })]));
    expect((await crd()).status.storedVersions).toEqual(['v1', 'v2']);
    const only = { spec: { versions: [version({ name: 'v2' })] } };
    expect(causesOf(await ask(things.sandbox, 'PATCH', `${CRDS}/things.example.com`, only))).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });

  it('with a conversion webhook that fails serves the stored version only', async () => {
    const conversion = {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1' } },
    };
    things.sandbox.apply(definition([version(), version({ name: 'v2', storage: false })], { conversion }));
    expect((await things.post({})).status).toBe(201);
    const other = await ask(things.sandbox, 'GET', '/apis/example.com/v2/namespaces/default/things/a');
    expect([other.status, other.body.message]).toEqual([
      500,
      'conversion webhook for example.com/v1, Kind=Thing failed: Post "https://127.0.0.1:1?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused',
    ]);
  });
});
