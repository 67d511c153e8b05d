import { describe, expect, it } from 'vitest';
import { parseReply } from '../../src/hooks/reply.ts';

const actions = (...list: unknown[]) => parseReply({ actions: list }).actions;

describe('a reply', () => {
  it.each([undefined, null, {}])('may be %j', (value) => {
    expect(parseReply(value)).toEqual({ requeueAfterMs: undefined, actions: [], error: undefined, permanent: false });
  });

  it('has the time of the next run, as a duration or in ms', () => {
    expect(parseReply({ requeueAfter: '1m30s' }).requeueAfterMs).toBe(90_000);
    expect(parseReply({ requeueAfterMs: 250 }).requeueAfterMs).toBe(250);
    expect(parseReply({ requeueAfter: '0s' }).requeueAfterMs).toBe(0);
  });

  it('may say that its error is permanent, and nothing else', () => {
    expect(parseReply({ error: 'no team', permanent: true })).toMatchObject({ error: 'no team', permanent: true });
    expect(() => parseReply({ permanent: true })).toThrow('permanent is about an error, and there is none');
    expect(() => parseReply({ error: 'x', permanent: 'yes' })).toThrow('permanent must be true or false, not "yes"');
  });

  it('has actions, in order', () => {
    const on = { gvr: 'apps/v1/deployments', namespace: 'shop', name: 'web' };
    const target = { gvr: { group: 'apps', version: 'v1', resource: 'deployments' }, namespace: 'shop', name: 'web' };
    expect(
      actions(
        { apply: { spec: {} }, own: true },
        { create: { kind: 'Pod' }, on: {} },
        { patch: { spec: {} }, on },
        { patch: [{ op: 'remove', path: '/spec' }], patchType: 'json' },
        { delete: true, on },
        { status: { ready: 1 } },
        { event: { reason: 'Scaled', note: 'to 3' } },
        { log: 'seen' },
        { log: { level: 'warn', message: 'odd', replicas: 3 } },
      ),
    ).toEqual([
      { verb: 'apply', body: { spec: {} }, own: true },
      { verb: 'create', body: { kind: 'Pod' }, own: false, on: {} },
      { verb: 'patch', body: { spec: {} }, patchType: 'merge', on: target },
      { verb: 'patch', body: [{ op: 'remove', path: '/spec' }], patchType: 'json' },
      { verb: 'delete', body: {}, on: target },
      { verb: 'status', body: { ready: 1 } },
      { verb: 'event', body: { type: 'Normal', reason: 'Scaled', message: 'to 3' } },
      { verb: 'log', body: { level: 'info', message: 'seen', fields: {} } },
      { verb: 'log', body: { level: 'warn', message: 'odd', fields: { replicas: 3 } } },
    ]);
  });

  it.each([
    ['a string', 'reply must be an object, not "a string"'],
    [[], 'reply must be an object, not []'],
    [{ requeueAfter: 30 }, 'requeueAfter must be a duration such as "30s", not 30'],
    [{ requeueAfter: 'soon' }, 'requeueAfter: invalid duration "soon"'],
    [{ requeueAfterMs: -1 }, 'requeueAfterMs must be a number of milliseconds, not -1'],
    [{ requeueAfterMs: Number.NaN }, 'requeueAfterMs must be a number of milliseconds, not NaN'],
    [{ requeueAfterMs: Number.POSITIVE_INFINITY }, 'requeueAfterMs must be a number of milliseconds, not Infinity'],
    [{ requeueAfter: '-5s' }, 'requeueAfter must be a duration of zero or more, not "-5s"'],
    [{ requeAfter: '30s' }, 'reply has an unknown key "requeAfter"'],
    [{ actions: {} }, 'actions must be a list, not {}'],
    [
      { actions: [{}] },
      'actions[0] must have exactly one of apply, create, patch, delete, status, event, log, not none',
    ],
    [{ actions: [{ apply: {}, delete: true }] }, 'not 2'],
    [{ actions: [{ aply: {} }] }, 'actions[0] has an unknown key "aply"'],
    [{ actions: [{ log: 'a' }, { apply: 1 }] }, 'actions[1].apply must be an object, not 1'],
    [{ actions: [{ delete: true, own: true }] }, 'actions[0].own is only for apply and create, not for delete'],
    [{ actions: [{ apply: {}, patchType: 'merge' }] }, 'actions[0].patchType is only for patch, not for apply'],
    [
      { actions: [{ patch: {}, patchType: 'json' }] },
      'actions[0].patch must be a list of JSON patch operations, not {}',
    ],
    [
      { actions: [{ patch: {}, patchType: 'deep' }] },
      'actions[0].patchType must be merge, json or strategic, not "deep"',
    ],
    [{ actions: [{ patch: {}, on: { gvr: 'pods' } }] }, '"pods" is not a group/version/resource'],
    [{ actions: [{ patch: {}, on: 'web' }] }, 'actions[0].on must be an object, not "web"'],
    [{ actions: [{ patch: {}, on: { gvr: 1 } }] }, 'actions[0].on.gvr must be a string such as'],
    [{ actions: [{ patch: {}, on: { namespace: 1 } }] }, 'actions[0].on.namespace must be a string, not 1'],
    [{ actions: [{ patch: {}, on: { name: 1 } }] }, 'actions[0].on.name must be a string, not 1'],
    [{ actions: [{ patch: {}, on: { names: 'web' } }] }, 'actions[0].on has an unknown key "names"'],
    [
      { actions: [{ event: { reason: 'X', message: 'y', type: 'Bad' } }] },
      'actions[0].event.type must be Normal or Warning, not "Bad"',
    ],
  ])('that is %j is refused, with the place', (value, message) => {
    expect(() => parseReply(value)).toThrow(message);
  });

  it('with a misspelt key is refused with the nearest one', () => {
    expect(() => parseReply({ requeueafter: '30s' })).toThrow(
      expect.objectContaining({ code: 'hook', hint: 'did you mean "requeueAfter"?' }),
    );
  });
});
