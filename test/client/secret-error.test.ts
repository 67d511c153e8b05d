import { describe, expect, it } from 'vitest';
import { guardClient } from '../../src/hooks/guarded-client.ts';
import { causesOf } from '../../src/kit/error.ts';
import { withoutSecretValues } from '../../src/model/secret-error.ts';
import {
  failure,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  StatusError,
} from '../../src/model/status.ts';
import { inProcess } from '../support/in-process.ts';

const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const VALUE = 'aHVudGVyMg==';
const db = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'shop' }, data: { password: VALUE } };

async function place() {
  const { client, sandbox, clock } = await inProcess({ objects: [db] });
  return { client, sandbox, clock, secrets: client.resource(SECRETS, { namespace: 'shop' }) };
}

async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('it was not refused'),
    (error: unknown) => error,
  );
}

/** All texts of an error, printed in every way. */
function shownBy(error: unknown): string {
  return [...causesOf(error)]
    .map((each) => `${String(each)} ${(each as Error).stack} ${JSON.stringify(each)}`)
    .join('\n');
}

describe('an error about a Secret', () => {
  it.each([
    ['a patch that cannot be decoded', { stringData: 'hunter2' }],
    ['data that is a list', { data: ['hunter2'] }],
    ['a value that is no base64', { data: { password: 'hunter2!' } }],
    ['a key that cannot be one', { stringData: { 'a b': 'hunter2' } }],
  ])('shows no value, of %s, to a library and to a hook', async (_, body) => {
    const { client, secrets } = await place();
    const guarded = guardClient(client, { mode: 'dry-run' }).resource(SECRETS, { namespace: 'shop' });
    for (const api of [secrets, guarded]) {
      const error = await refusalOf(api.patch('db', body, { type: 'merge' }));
      expect(error).toBeInstanceOf(StatusError);
      expect(shownBy(error)).not.toMatch(/hunter2|aHVudGVyMg/);
      expect(String(error)).toMatch(
        /^StatusError: secrets "db" (is invalid|the server refused the request \(\w+, \d+\))/,
      );
    }
  });

  it('keeps code, reason and field, so that predicates work and the cause can be found', async () => {
    const { client, secrets, sandbox } = await place();
    const invalid = (await refusalOf(
      secrets.patch('db', { stringData: { 'a b': 'x' } }, { type: 'merge' }),
    )) as StatusError;
    expect([invalid.statusCode, invalid.reason, isInvalid(invalid)]).toEqual([422, 'Invalid', true]);
    expect(invalid.status.details?.causes).toEqual([
      { reason: 'FieldValueInvalid', field: expect.stringContaining('data[a b]') },
    ]);
    expect(invalid.message).toBe('secrets "db" is invalid: data[a b]: FieldValueInvalid');
    const { metadata } = sandbox.get(SECRETS, 'shop/db') ?? expect.unreachable();
    const stale = { ...db, metadata: { ...db.metadata, resourceVersion: `${Number(metadata.resourceVersion) - 1}` } };
    const rows: [Promise<unknown>, (error: unknown) => boolean, string][] = [
      [secrets.update(stale), isConflict, 'secrets "db" the object has been modified'],
      [secrets.create(db), isAlreadyExists, 'already exists'],
      [secrets.get('missing'), isNotFound, 'secrets "missing" not found'],
      [
        client.resource(SECRETS, { namespace: 'absent' }).create({ metadata: { name: 'x' } }),
        isNotFound,
        'namespaces "absent" not found',
      ],
    ];
    for (const [request, is, text] of rows) {
      const error = await refusalOf(request);
      expect([is(error), (error as Error).message]).toEqual([true, expect.stringContaining(text)]);
    }
  });

  it('keeps the text of a denial by RBAC, and none of a webhook', () => {
    const rbac =
      'secrets "db" is forbidden: User "me" cannot patch resource "secrets" in API group "" in the namespace "shop"';
    for (const [message, shown] of [
      [rbac, rbac],
      ['admission webhook "w" denied the request: "hunter2" is too weak', 'secrets "db" is forbidden'],
      [`${rbac}: hunter2`, 'secrets "db" is forbidden'],
    ] as const) {
      const details = { kind: 'secrets', name: 'db', causes: [{ message: 'hunter2', field: 'hunter2!' }] };
      const error = withoutSecretValues(new StatusError(failure(403, 'Forbidden', message, details)));
      expect([isForbidden(error), error.message]).toEqual([true, shown]);
      expect(shownBy(error)).not.toContain('hunter2 ');
    }
  });

  it('of another type has the text of the server', async () => {
    const { client } = await place();
    const maps = client.resource({ ...SECRETS, resource: 'configmaps' }, { namespace: 'shop' });
    const error = await refusalOf(maps.create({ metadata: { name: 'Bad_Name' } }));
    expect(String(error)).toContain('Invalid value: "Bad_Name"');
  });

  it('for a response that is not JSON quotes none of it, also in its causes', async () => {
    const { sandbox, secrets } = await place();
    sandbox.faults.add({ fault: { kind: 'truncate' } });
    const error = await refusalOf(secrets.get('db'));
    expect(shownBy(error)).not.toMatch(/hunter2|aHVudGVyMg/);
  });
});
