import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { accessFound, missingAccess, NEEDED_VERBS, noReview, optionalAccessFound } from '../../src/doctor/access.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { failure, StatusError } from '../../src/model/status.ts';
import { clusterRoleOf, startShop } from '../support/rbac.ts';

const type = (resource: string, group = '', namespaced = true) =>
  ({ gvr: { group, version: 'v1', resource }, namespaced }) as ResourceType;
const PODS = type('pods');
const signal = new AbortController().signal;
const VIC = { username: 'vic' };

it('finds what is missing in which namespace, and the role for each', async () => {
  await using sandbox = await startShop();
  const client = createClient(sandbox.transport({ token: sandbox.tokenFor({ user: 'vic' }) }));
  const question = { type: PODS, verbs: NEEDED_VERBS, namespaces: ['shop', 'other'], user: VIC };
  const missing = await missingAccess(client, question, signal);
  expect([...missing]).toEqual([['other', ['list', 'watch']]]);
  expect(accessFound(question, missing)).toEqual({
    status: 'problem',
    found: 'you may not list and watch in other',
    fix: 'an administrator runs: kubectl create role list-watch-pods -n other --verb=list,watch --resource=pods && kubectl create rolebinding list-watch-pods -n other --role=list-watch-pods --user=vic',
  });
});

it('names only the verb that is missing, and a ClusterRole for all namespaces and for a type without any', async () => {
  await using sandbox = await startShop();
  sandbox.apply(clusterRoleOf('vic', [{ apiGroups: ['', 'apps'], resources: ['*'], verbs: ['list'] }]));
  const client = createClient(sandbox.transport({ token: sandbox.tokenFor({ user: 'vic' }) }));
  for (const [asked, resource, place] of [
    [type('deployments', 'apps'), 'deployments.apps', ' in all namespaces'],
    [type('nodes', '', false), 'nodes', ''],
  ] as const) {
    const question = { type: asked, verbs: NEEDED_VERBS, namespaces: [''], user: VIC };
    expect(accessFound(question, await missingAccess(client, question, signal))).toEqual({
      status: 'problem',
      found: `you may not watch${place}`,
      fix: `an administrator runs: kubectl create clusterrole watch-${resource} --verb=watch --resource=${resource} && kubectl create clusterrolebinding watch-${resource} --clusterrole=watch-${resource} --user=vic`,
    });
  }
});

it('asks for a name where the server does not say who the user is, and puts strange names between quotes', () => {
  const missing = new Map([['shop', ['get']]]);
  const question = { type: PODS, verbs: ['get'], namespaces: ['shop'] };
  const fixFor = (username?: string) =>
    accessFound({ ...question, user: username ? { username } : undefined }, missing).fix;
  expect(fixFor()).toMatch(/--user=NAME$/);
  expect(fixFor('a b; rm')).toMatch(/--user='a b; rm'$/);
  expect(fixFor('system:serviceaccount:shop:bot')).toMatch(/--serviceaccount=shop:bot$/);
});

it('a missing optional right is no problem, and says what needs it', () => {
  const question = { type: PODS, verbs: ['get'], namespaces: ['shop'], user: VIC };
  expect(optionalAccessFound(question, new Map([['shop', ['get']]]))).toMatchObject({
    status: 'ok',
    found: 'you may not get in shop; only reconcile --journal needs it',
  });
  expect(optionalAccessFound(question, new Map())).toMatchObject({ found: 'you may get in shop' });
});

it('a server that reviews nothing leaves the answer to the list; another failure stays one', () => {
  const refusal = new StatusError(failure(404, 'NotFound', 'no such thing'));
  expect(noReview(refusal)).toMatchObject({ status: 'skipped', found: expect.stringContaining('no such thing') });
  expect(() => noReview(new Error('cut'))).toThrow('cut');
});
