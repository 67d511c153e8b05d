import { describe, expect, it } from 'vitest';
import { definition, THINGS, useThings, version } from '../../support/custom-things.ts';
import { ask } from '../../support/sandbox-requests.ts';

const things = useThings();

describe('the scale of a custom resource', () => {
  const scale = {
    specReplicasPath: '.spec.size',
    statusReplicasPath: '.status.size',
    labelSelectorPath: '.status.selector',
  };
  const scaled = () =>
    things.sandbox.apply(
      definition([
        version({ subresources: { status: {}, scale }, spec: { properties: { size: { type: 'integer' } } } }),
      ]),
    );

  it('reads and writes at the paths of the definition', async () => {
    scaled();
    await things.post({ size: 2 });
    await ask(things.sandbox, 'PATCH', `${THINGS}/a/status`, { status: { size: 1, selector: 'a=b' } });
    const { body } = await ask(things.sandbox, 'GET', `${THINGS}/a/scale`);
    expect([body.kind, body.spec, body.status]).toEqual(['Scale', { replicas: 2 }, { replicas: 1, selector: 'a=b' }]);
    const more = await ask(things.sandbox, 'PUT', `${THINGS}/a/scale`, { ...body, spec: { replicas: 5 } });
    expect([more.status, more.body.spec]).toEqual([200, { replicas: 5 }]);
    expect((await ask(things.sandbox, 'GET', `${THINGS}/a`)).body).toMatchObject({
      spec: { size: 5 },
      metadata: { generation: 2 },
    });
    expect((await ask(things.sandbox, 'PUT', `${THINGS}/a/scale`, { ...body, spec: { replicas: 6 } })).status).toBe(
      409,
    );
  });

  it('refuses a negative number, and fails for an object without the field', async () => {
    scaled();
    await things.post({ size: 2 });
    const less = await ask(things.sandbox, 'PATCH', `${THINGS}/a/scale`, { spec: { replicas: -1 } });
    expect([less.status, less.body.message]).toEqual([
      422,
      'Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: should be a non-negative integer',
    ]);
    await things.post({}, 'b');
    const none = await ask(things.sandbox, 'GET', `${THINGS}/b/scale`);
    expect([none.status, none.body.message]).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.size" does not exist',
    ]);
  });
});
