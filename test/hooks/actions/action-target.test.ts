import { describe, expect, it } from 'vitest';
import {
  formatTarget,
  type Subject,
  TargetResolver,
  type TargetType,
} from '../../../src/hooks/actions/action-target.ts';
import { type Action, parseReply } from '../../../src/hooks/reply.ts';
import { parseGvr } from '../../../src/model/gvr.ts';

const type = (gvr: string, kind: string, namespaced = true): TargetType => ({ gvr: parseGvr(gvr), kind, namespaced });
const DEPLOYMENTS = type('apps/v1/deployments', 'Deployment');
const TYPES = [DEPLOYMENTS, type('v1/configmaps', 'ConfigMap'), type('v1/nodes', 'Node', false)];
const web: Subject = { namespace: 'shop', name: 'web', object: null };
const NODE = type('v1/nodes', 'Node', false);
const ofNode: Subject = { namespace: '', name: 'n1', object: null };

/** The target of an action, as text, and how often the types of the server were read. */
async function resolved(action: object, { subject = web, primary = DEPLOYMENTS } = {}) {
  let reads = 0;
  const types = async () => {
    reads++;
    return TYPES;
  };
  const [parsed] = parseReply({ actions: [action] }).actions;
  const target = await new TargetResolver({ primary, types }).resolve(
    parsed as Exclude<Action, { verb: 'log' }>,
    subject,
  );
  return { text: formatTarget(target), reads };
}

describe('the target of an action', () => {
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap' };

  it.each<[string, object, string, number]>([
    ['the reconciled object', { patch: {} }, 'apps/v1/deployments shop/web', 0],
    ['another object of the type', { patch: {}, on: { name: 'api' } }, 'apps/v1/deployments shop/api', 0],
    ['one in another namespace', { delete: true, on: { namespace: 'bank' } }, 'apps/v1/deployments bank/web', 0],
    ['one of another type, by on', { patch: {}, on: { gvr: 'v1/configmaps', name: 'c' } }, 'v1/configmaps shop/c', 1],
    [
      'one of another type, by the body',
      { apply: { ...configMap, metadata: { name: 'c' } } },
      'v1/configmaps shop/c',
      1,
    ],
    [
      'a cluster-scoped object',
      { patch: {}, on: { gvr: 'v1/nodes', name: 'n1', namespace: 'shop' } },
      'v1/nodes n1',
      1,
    ],
    ['on before the body', { apply: { metadata: { name: 'c' } }, on: { name: 'd' } }, 'apps/v1/deployments shop/d', 0],
    ['a generated name', { create: { metadata: { generateName: 'web-' } } }, 'apps/v1/deployments shop/<generated>', 0],
  ])('%s', async (_, action, text, reads) => {
    expect(await resolved(action)).toEqual({ text, reads });
  });

  it.each<[object, string]>([
    [{ patch: {}, on: { gvr: 'v1/widgets', name: 'x' } }, 'the server has no resource type v1/widgets'],
    [{ apply: { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'x' } } }, 'the server has no kind Widget in v1'],
    [{ create: configMap }, 'the action create names no object of v1/configmaps'],
    [{ delete: true, on: { name: 'a/b' } }, "the action delete: name may not contain '/'"],
    [{ delete: true, on: { namespace: '..' } }, "the action delete: namespace may not be '..'"],
  ])('%j is refused', async (action, message) => {
    await expect(resolved(action)).rejects.toMatchObject({ code: 'hook', message: expect.stringContaining(message) });
  });

  it('needs a namespace, if the reconciled object has none', async () => {
    const options = { subject: ofNode, primary: NODE };
    expect((await resolved({ patch: {} }, options)).text).toBe('v1/nodes n1');
    const create = { ...configMap, metadata: { name: 'c' } };
    await expect(resolved({ create }, options)).rejects.toThrow(
      'the action create names no namespace for v1/configmaps',
    );
    expect((await resolved({ create, on: { namespace: 'shop' } }, options)).text).toBe('v1/configmaps shop/c');
  });
});
