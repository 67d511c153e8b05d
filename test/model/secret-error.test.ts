import { describe, expect, it } from 'vitest';
import { isAboutSecret, withoutSecretValues } from '../../src/model/secret-error.ts';
import { failure, type Status, StatusError } from '../../src/model/status.ts';

const VALUE = 'hunter2';
const refusal = (code: number, reason: string, message: string, details?: Status['details']) =>
  new StatusError(failure(code, reason, message, details));

describe('the error of a request about Secrets', () => {
  it.each<[string, StatusError, string]>([
    ['its name', refusal(404, 'NotFound', VALUE, { kind: 'secrets', name: 'db' }), 'secrets "db" not found'],
    ['no name', refusal(409, 'Conflict', VALUE), 'secrets the object has been modified, or a precondition was not met'],
    [
      'the fields and reasons of the causes',
      refusal(422, 'Invalid', VALUE, {
        name: 'db',
        causes: [{ field: 'data[a b]', reason: 'FieldValueInvalid', message: VALUE }],
      }),
      'secrets "db" is invalid: data[a b]: FieldValueInvalid',
    ],
    [
      'the namespace that is missing',
      refusal(404, 'NotFound', VALUE, { kind: 'namespaces', name: 'shop' }),
      'namespaces "shop" not found',
    ],
    [
      'reason and code where the reason has no text here',
      refusal(500, 'InternalError', VALUE, { name: 'db' }),
      'secrets "db" the server refused the request (InternalError, 500)',
    ],
    [
      'that no reason was given',
      new StatusError({ message: VALUE }),
      'secrets the server refused the request (no reason given)',
    ],
  ])('says %s, and none of the server’s words', (_, error, expected) => {
    const bare = withoutSecretValues(error);
    expect(bare.message).toBe(expected);
    expect(JSON.stringify(bare.status)).not.toContain(VALUE);
    expect([bare.reason, bare.statusCode]).toEqual([error.reason, error.statusCode]);
  });

  it('drops a field that does not look like a path', () => {
    const error = refusal(422, 'Invalid', VALUE, {
      name: 'db',
      causes: [{ field: `${VALUE}!`, reason: 'FieldValueInvalid' }],
    });
    expect(withoutSecretValues(error).message).toBe('secrets "db" is invalid: FieldValueInvalid');
  });

  it('keeps the text of a conflict of field managers, and drops one that has another form', () => {
    const causeWith = (message: string, reason = 'FieldManagerConflict') => {
      const details = { causes: [{ reason, message, field: '.data.a' }] };
      return withoutSecretValues(refusal(409, 'Conflict', VALUE, details)).status.details?.causes?.[0]?.message;
    };
    const texts = [
      'conflict with "me"',
      'conflict with "kubectl-edit" with subresource "status" using v1 at 2026-01-01T00:00:00Z',
    ];
    for (const text of texts) {
      expect(causeWith(text)).toBe(text);
      expect(causeWith(`${text}: ${VALUE}`)).toBeUndefined();
      expect(causeWith(text, 'FieldValueInvalid')).toBeUndefined();
    }
  });

  it('keeps the text of a denial by RBAC, and drops the text of one with an addition', () => {
    const text =
      'secrets "db" is forbidden: User "me" cannot get resource "secrets" in API group "" in the namespace "shop"';
    const details = { kind: 'secrets', name: 'db' };
    expect(withoutSecretValues(refusal(403, 'Forbidden', text, details)).message).toBe(text);
    expect(withoutSecretValues(refusal(403, 'Forbidden', `${text}: ${VALUE}`, details)).message).toBe(
      'secrets "db" is forbidden',
    );
  });

  it('takes the name of the request where the Status has none, and keeps the wait and the hint', () => {
    const error = new StatusError(failure(429, 'TooManyRequests', VALUE), { retryAfterMs: 2000, hint: 'wait' });
    const bare = withoutSecretValues(error, 'db');
    expect(bare.message).toBe('secrets "db" the server refused the request (TooManyRequests, 429)');
    expect([bare.retryAfterMs, bare.hint]).toEqual([2000, 'wait']);
  });
});

it.each<[Status['details'], boolean]>([
  [{ kind: 'secrets' }, true],
  [{ kind: 'Secret' }, true],
  [{ kind: 'secrets', group: 'example.com' }, false],
  [{ kind: 'pods' }, false],
  [undefined, false],
])('a Status with the details %j is about a Secret: %s', (details, expected) => {
  expect(isAboutSecret(refusal(403, 'Forbidden', 'x', details))).toBe(expected);
});
