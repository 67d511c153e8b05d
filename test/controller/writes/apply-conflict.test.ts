import { expect, it } from 'vitest';
import { ApplyConflictError, asApplyConflict } from '../../../src/controller/writes/apply-conflict.ts';
import { failure, isConflict, StatusError } from '../../../src/model/status.ts';

const conflict = (...causes: { reason?: string; message?: string; field?: string }[]) =>
  new StatusError(
    failure(409, 'Conflict', 'Apply failed', {
      causes: causes.map((cause) => ({ reason: 'FieldManagerConflict', ...cause })),
    }),
  );

it('a conflict of field managers names each of them once, with its fields, in the order of the server', () => {
  const error = conflict(
    { message: 'conflict with "kubectl" using apps/v1', field: '.spec.replicas' },
    { message: 'conflict with "hpa" with subresource "scale" using apps/v1', field: '.spec.replicas' },
    { message: 'conflict with "kubectl" using apps/v1 at 2026', field: '.spec.paused' },
    { message: 'conflict with "kubectl" using apps/v1', field: '.spec.replicas' },
    { message: 'conflict with "hpa"', field: '.metadata.labels.a' },
    { reason: 'Other', message: 'conflict with "nobody"', field: '.spec.x' },
  );
  const found = asApplyConflict(error) as ApplyConflictError;
  expect(found).toBeInstanceOf(ApplyConflictError);
  expect(found.conflicts).toEqual([
    { manager: 'kubectl', fields: ['.spec.replicas', '.spec.paused'] },
    { manager: 'hpa', subresource: 'scale', fields: ['.spec.replicas'] },
    { manager: 'hpa', fields: ['.metadata.labels.a'] },
  ]);
  expect(found.message).toBe(
    'the apply would change fields of other managers: .spec.replicas, .spec.paused of "kubectl"; .spec.replicas of "hpa" (through scale); .metadata.labels.a of "hpa"',
  );
  expect([isConflict(found), found.cause, found.hint]).toEqual([true, error, expect.stringContaining('force: true')]);
});

it.each([
  ['conflict with "a \\"b\\""', 'a "b"'],
  ['conflict with "a \\x07 b"', 'a \\x07 b'],
  ['conflict with something else', undefined],
  [undefined, undefined],
])('the manager in %j is %j', (message, manager) => {
  const { conflicts } = asApplyConflict(conflict(message === undefined ? {} : { message })) as ApplyConflictError;
  expect(conflicts).toEqual([{ manager, fields: [] }]);
});

it('a manager or a field that the server does not name is said so', () => {
  expect((asApplyConflict(conflict({})) as Error).message).toBe(
    'the apply would change fields of other managers: a field of another field manager',
  );
});

it.each([
  ['another conflict', new StatusError(failure(409, 'Conflict', 'the object has been modified'))],
  ['a conflict with other causes', conflict({ reason: 'Other' })],
  ['no Status', new Error('no')],
  ['nothing', undefined],
])('%s stays as it is', (_, error) => {
  expect(asApplyConflict(error)).toBe(error);
});
