import { describe, expect, it } from 'vitest';
import { type FailedRequest, withScope } from '../../src/client/scope-error.ts';
import { failure, StatusError } from '../../src/model/status.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const UNROUTED = new StatusError(failure(404, 'NotFound', 'the server could not find the requested resource', {}));

const request = (more: Partial<FailedRequest>): FailedRequest => ({
  verb: 'get',
  gvr: PODS,
  namespace: undefined,
  isNamespaced: async () => true,
  signal: undefined,
  ...more,
});

describe('withScope', () => {
  it('names a missing namespace, with the first error as cause', async () => {
    expect(await withScope(UNROUTED, request({}))).toMatchObject({
      message: 'pods are namespaced, and no namespace was given',
      hint: 'name it: client.resource(gvr, { namespace })',
      status: { code: 404 },
      cause: UNROUTED,
    });
  });

  it('names a superfluous namespace', async () => {
    expect(
      await withScope(UNROUTED, request({ verb: 'list', namespace: 'shop', isNamespaced: async () => false })),
    ).toMatchObject({
      message: 'pods are cluster-scoped, and were asked for in the namespace "shop"',
      hint: 'leave the namespace out',
    });
  });

  it('explains the 405 of a create, and of no other verb', async () => {
    const notAllowed = new StatusError(failure(405, 'MethodNotAllowed', 'x', {}));
    expect((await withScope(notAllowed, request({ verb: 'create' }))).message).toContain('no namespace was given');
    expect(await withScope(notAllowed, request({ verb: 'update' }))).toBe(notAllowed);
  });

  it.each<[string, StatusError, Partial<FailedRequest>]>([
    ['of a missing object', new StatusError(failure(404, 'NotFound', 'pods "x" not found', { name: 'x' })), {}],
    ['of a list in all namespaces', UNROUTED, { verb: 'list' }],
    ['of a watch in all namespaces', UNROUTED, { verb: 'watch' }],
    ['with another code', new StatusError(failure(403, 'Forbidden', 'x', {})), {}],
    ['of a type that discovery does not have', UNROUTED, { isNamespaced: async () => undefined }],
    ['while discovery fails', UNROUTED, { isNamespaced: () => Promise.reject(new Error('down')) }],
    ['without discovery', UNROUTED, { isNamespaced: undefined }],
    ['of a request with the right scope', UNROUTED, { namespace: 'shop' }],
    ['after an abort', UNROUTED, { signal: AbortSignal.abort() }],
  ])('returns an error %s as it is', async (_, error, more) => {
    expect(await withScope(error, request(more))).toBe(error);
  });
});
