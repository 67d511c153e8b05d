import { describe, expect, it } from 'vitest';
import type { ActionStep } from '../../../src/hooks/actions/action-step.ts';
import { ActionSteps } from '../../../src/hooks/actions/action-step.ts';
import { sendActionOnce } from '../../../src/hooks/actions/send-action.ts';
import { conditional, decideAgain, effectOf } from '../../../src/hooks/actions/step-effect.ts';
import { parseReply } from '../../../src/hooks/reply.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { cluster, configMap, deployments } from '../../support/hook-cluster.ts';

const { signal } = new AbortController();

/** One action about the ConfigMap a of the namespace shop, and what may happen to it. */
async function about(action: object, { name = 'a', isUnread = false } = {}) {
  const place = await cluster();
  const steps = new ActionSteps({ primary: deployments, types: place.types, clock: systemClock });
  const on = { gvr: 'v1/configmaps', namespace: 'shop', name };
  const [parsed] = parseReply({ actions: [{ ...action, on }] }).actions;
  const step = await steps.stepOf(parsed as ActionStep['action'], place.subject);
  if (isUnread) place.sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { method: 'GET' } });
  const resource = place.client.resource(step.target.type.gvr, { namespace: 'shop' });
  const effect = await effectOf(resource, step, signal);
  const send = () => sendActionOnce(resource, conditional(step, effect), { signal });
  const change = (data: Record<string, string>) => place.sandbox.apply({ ...configMap(name), data });
  const label = () =>
    place.client
      .resource(step.target.type.gvr, { namespace: 'shop' })
      .patch(name, { metadata: { labels: { by: 'others' } } }, { type: 'merge' });
  return {
    ...place,
    step,
    resource,
    effect,
    send,
    change,
    label,
    decide: () => decideAgain(resource, step, effect, signal),
  };
}

const PATCHES = {
  merge: { patch: { data: { x: '2', y: null } } },
  json: { patch: [{ op: 'replace', path: '/data/x', value: '2' }], patchType: 'json' },
  strategic: { patch: { data: { x: '2' } }, patchType: 'strategic' },
  apply: { apply: { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '2' } } },
};

describe.each(Object.entries(PATCHES))('%s', (_, action) => {
  it('that took no effect is sent', async () => {
    expect(await (await about(action)).decide()).toBe('send');
  });

  it('that took no effect is sent also after a change of other fields', async () => {
    const { label, decide } = await about(action);
    await label();
    expect(await decide()).toBe('send');
  });

  it('that took effect is done, also after a change of other fields', async () => {
    const { send, label, decide } = await about(action);
    await send();
    expect(await decide()).toBe('done');
    await label();
    expect(await decide()).toBe('done');
  });

  it('is unclear after a change of the same fields', async () => {
    const { send, change, decide } = await about(action);
    await send();
    change({ x: '9' });
    expect(await decide()).toEqual({ unclear: 'others have changed the same fields' });
  });

  it('is unclear when the object is gone or another one', async () => {
    const { sandbox, change, decide } = await about(action);
    sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/a');
    expect(await decide()).toEqual({ unclear: 'the object is gone' });
    change({ x: '1' });
    expect(await decide()).toEqual({ unclear: 'another object has its name now' });
  });
});

describe('a JSON patch', () => {
  it('is refused with a conflict when its object is not of the version that was read', async () => {
    const { send, label, find } = await about(PATCHES.json);
    await label();
    await expect(send()).rejects.toMatchObject({ statusCode: 409 });
    expect(find('v1/configmaps', 'shop/a')).toMatchObject({ data: { x: '1' } });
  });

  it('that removes a field is done once the field is gone', async () => {
    const { send, label, decide } = await about({ patch: [{ op: 'remove', path: '/data/x' }], patchType: 'json' });
    await send();
    await label();
    expect(await decide()).toBe('done');
  });
});

describe('an apply that creates', () => {
  const apply = { apply: { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '2' } } };

  it('is sent, done, or unclear', async () => {
    const { send, change, decide } = await about(apply, { name: 'new' });
    expect(await decide()).toBe('send');
    await send();
    expect(await decide()).toBe('done');
    change({ x: '9' });
    expect(await decide()).toEqual({ unclear: 'the object was created meanwhile' });
  });
});

describe.each([
  ['a creation', { create: { apiVersion: 'v1', kind: 'ConfigMap' } }],
  ['an event', { event: { reason: 'Seen', message: 'once' } }],
])('%s', (_, action) => {
  it('is sent while its object is not there, and done when it is', async () => {
    const { send, decide } = await about(action, { name: 'new' });
    expect(await decide()).toBe('send');
    await send();
    expect(await decide()).toBe('done');
  });
});

describe('a deletion', () => {
  it('is sent while its object is there, and done when it is gone, going or another one', async () => {
    const { send, change, decide } = await about({ delete: true });
    expect(await decide()).toBe('send');
    await send();
    expect(await decide()).toBe('done');
    change({ x: '1' });
    expect(await decide()).toBe('done');
  });

  it('deletes only the object that was read', async () => {
    const { sandbox, send, change, find } = await about({ delete: true });
    sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/a');
    change({ x: '1' });
    await expect(send()).rejects.toMatchObject({ statusCode: 409 });
    expect(find('v1/configmaps', 'shop/a')).toBeDefined();
  });

  it('of an object that was not there is done, whatever is there now', async () => {
    const { change, decide } = await about({ delete: true }, { name: 'none' });
    change({ x: '1' });
    expect(await decide()).toBe('done');
  });
});

describe('an object that may not be read', () => {
  it('gets again what may be done twice, and nothing else', async () => {
    const decisions = await Promise.all(
      [PATCHES.merge, PATCHES.json, { delete: true }].map(async (action) => {
        const { effect, decide } = await about(action, { isUnread: true });
        expect(effect).toEqual({ isUnread: true });
        return await decide();
      }),
    );
    const unclear = { unclear: 'the object may not be read' };
    expect(decisions).toEqual(['send', unclear, unclear]);
  });
});
