import { describe, expect, it } from 'vitest';
import { THINGS, thing, useThings } from '../../../support/custom-things.ts';
import { ask } from '../../../support/sandbox-requests.ts';

const things = useThings();

describe('nulls and defaults', () => {
  it('a null that the schema does not allow is replaced by the default or removed; an allowed null stays', async () => {
    things.serve({
      a: { type: 'string', default: 'x' },
      b: { type: 'string', nullable: true, default: 'x' },
      c: { type: 'string' },
    });
    expect((await things.post({ a: null, b: null, c: null })).body.spec).toEqual({ a: 'x', b: null });
  });

  it('the default of a newer definition shows in objects that were stored before, with the same resourceVersion', async () => {
    things.serve({ a: { type: 'string' } });
    const { body: before } = await things.post({});
    things.serve({ a: { type: 'string', default: 'new' } });
    const { body: after } = await ask(things.sandbox, 'GET', `${THINGS}/a`);
    expect([after.spec, after.metadata.resourceVersion]).toEqual([{ a: 'new' }, before.metadata.resourceVersion]);
    expect((await ask(things.sandbox, 'GET', THINGS)).body.items[0]?.spec).toEqual({ a: 'new' });
  });

  it('a value that a stricter definition forbids is accepted as long as it does not change', async () => {
    things.serve({ a: { type: 'string' }, b: { type: 'string' } });
    await things.post({ a: 'long' });
    things.serve({ a: { type: 'string', maxLength: 2 }, b: { type: 'string' } });
    const patch = (spec: object) => ask(things.sandbox, 'PATCH', `${THINGS}/a`, { spec });
    expect((await patch({ b: 'x' })).status).toBe(200);
    expect((await patch({ a: 'longer still' })).status).toBe(422);
    expect((await things.post({ a: 'long' }, 'b')).status).toBe(422);
  });
});

it('refuses with 500 an apply of fields that the schema does not have, or has with another type', async () => {
  things.serve({ size: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } });
  const apply = (spec: object) =>
    ask(things.sandbox, 'PATCH', `${THINGS}/a?fieldManager=me`, thing(spec), {
      'content-type': 'application/apply-patch+yaml',
    });
  const { status, body } = await apply({ size: 'big', tags: ['a', 1], extra: 1 });
  expect([status, body.message?.split('\n').slice(1)]).toEqual([
    500,
    [
      '  .spec.extra: field not declared in schema',
      '  .spec.size: expected numeric (int or float), got string',
      '  .spec.tags[1]: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ]);
  expect((await apply({ size: 1, tags: ['a'] })).status).toBe(201);
});
