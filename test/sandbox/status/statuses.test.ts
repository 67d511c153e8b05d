import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../src/model/status.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  internal,
  internalError,
  invalid,
  invalidOptions,
  methodNotAllowed,
  missing,
  notAcceptable,
  notImplemented,
  noUniqueName,
  staleWrite,
  tooLargeResourceVersion,
  tooOld,
  unknownResource,
  unsupportedMediaType,
} from '../../../src/sandbox/status/statuses.ts';

const PODS = { group: '', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', resource: 'deployments' };

/** The Status that a function throws. */
function statusOf(run: () => never) {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}

it.each<[run: () => never, code: number, reason: string | undefined, message: string]>([
  [() => badRequest('no'), 400, 'BadRequest', 'no'],
  [() => forbidden(PODS, 'a', 'why'), 403, 'Forbidden', 'pods "a" is forbidden: why'],
  [() => missing(DEPLOYMENTS, 'web'), 404, 'NotFound', 'deployments.apps "web" not found'],
  [unknownResource, 404, 'NotFound', 'the server could not find the requested resource'],
  [
    () => methodNotAllowed(),
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  ],
  [() => methodNotAllowed('not here'), 405, 'MethodNotAllowed', 'not here'],
  [
    () => notAcceptable(['a/b', 'c/d']),
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: a/b, c/d',
  ],
  [() => alreadyExists(DEPLOYMENTS, 'web'), 409, 'AlreadyExists', 'deployments.apps "web" already exists'],
  [() => conflict(PODS, 'a', 'why'), 409, 'Conflict', 'Operation cannot be fulfilled on pods "a": why'],
  [
    () => staleWrite(PODS, 'a'),
    409,
    'Conflict',
    'Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    () => unsupportedMediaType(['a/b', 'c/d']),
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: a/b, c/d',
  ],
  [() => internalError('it broke'), 500, 'InternalError', 'Internal error occurred: it broke'],
  [() => internal('it broke'), 500, undefined, 'it broke'],
  [() => notImplemented('quotas'), 501, 'NotImplemented', 'the sandbox does not implement quotas'],
])('%s throws %i %s', (run, code, reason, message) => {
  const { status, ...thrown } = statusOf(run);
  expect([status, thrown.code, thrown.reason, thrown.message]).toEqual(['Failure', code, reason, message]);
});

it('names the object in the details, and its group unless that is the core group', () => {
  expect(statusOf(() => alreadyExists(DEPLOYMENTS, 'web')).details).toEqual({
    name: 'web',
    group: 'apps',
    kind: 'deployments',
  });
  expect(statusOf(() => alreadyExists(PODS, 'a')).details).toEqual({ name: 'a', kind: 'pods' });
});

it('asks for another try after a second where the real server does', () => {
  expect(statusOf(() => noUniqueName(PODS, 'a-x')).details?.retryAfterSeconds).toBe(1);
  const tooLarge = statusOf(() => tooLargeResourceVersion('9', 7));
  expect([tooLarge.code, tooLarge.message]).toEqual([504, 'Timeout: Too large resource version: 9, current: 7']);
  expect(tooLarge.details).toMatchObject({ retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] });
});

it('gives the causes of a 403 only when there are some', () => {
  const causes = [{ reason: 'NamespaceTerminating', message: 'going', field: 'metadata.namespace' }];
  expect(statusOf(() => forbidden(PODS, 'a', 'why', causes)).details).toEqual({ name: 'a', kind: 'pods', causes });
  expect(statusOf(() => forbidden(PODS, 'a', 'why')).details).not.toHaveProperty('causes');
});

describe('a 422', () => {
  const gk = { group: 'apps', kind: 'Deployment' };
  const required = { field: 'spec.a', reason: 'FieldValueRequired' } as const;
  const unknown = { field: 'spec.b', reason: 'FieldValueInvalid', detail: '"x": must be a number' } as const;

  it('has the only problem in its message, with the words of the reason', () => {
    const { code, message, details } = statusOf(() => invalid(gk, 'web', [unknown]));
    expect([code, message]).toEqual([
      422,
      'Deployment.apps "web" is invalid: spec.b: Invalid value: "x": must be a number',
    ]);
    const causes = [{ reason: 'FieldValueInvalid', message: 'Invalid value: "x": must be a number', field: 'spec.b' }];
    expect(details).toEqual({ name: 'web', group: 'apps', kind: 'Deployment', causes });
  });

  it('lists several problems in brackets, one cause for each', () => {
    const { message, details } = statusOf(() => invalid(gk, 'web', [required, unknown]));
    expect(message).toBe(
      'Deployment.apps "web" is invalid: [spec.a: Required value, spec.b: Invalid value: "x": must be a number]',
    );
    expect(details?.causes?.map((cause) => cause.field)).toEqual(['spec.a', 'spec.b']);
  });

  it('of a query option names the options, and no object', () => {
    const { message, details } = statusOf(() => invalidOptions('ListOptions', required));
    expect(message).toBe('ListOptions.meta.k8s.io "" is invalid: spec.a: Required value');
    expect(details).not.toHaveProperty('name');
  });
});

it('the 410 of a watch names the version that was asked for and the oldest one', () => {
  expect(tooOld('5', 9)).toMatchObject({ code: 410, reason: 'Expired', message: 'too old resource version: 5 (9)' });
});
