import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, PODS, podNamed } from '../../support/sandbox-requests.ts';

let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(async () => {
  await sandbox.stop();
  expect(clock.pending).toBe(0);
});

it('removes a deleted pod on a node after a short time, and a pod without a node at once', async () => {
  await ask(sandbox, 'POST', PODS, podNamed('loose'));
  await ask(sandbox, 'POST', PODS, {
    ...podNamed('bound'),
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
  expect((await ask(sandbox, 'DELETE', `${PODS}/loose`)).body.metadata.deletionGracePeriodSeconds).toBe(0);
  expect((await ask(sandbox, 'GET', `${PODS}/loose`)).status).toBe(404);
  expect((await ask(sandbox, 'DELETE', `${PODS}/bound`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
  expect((await ask(sandbox, 'GET', `${PODS}/bound`)).status).toBe(200);
  await clock.advance(2_000);
  expect((await ask(sandbox, 'GET', `${PODS}/bound`)).status).toBe(404);
});

const bound = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...more },
  spec: { nodeName: 'n', terminationGracePeriodSeconds: 3_600, containers: [{ name: 'c', image: 'i' }] },
});

it('does not wait for the whole grace period', async () => {
  sandbox.apply(bound('a'));
  await ask(sandbox, 'DELETE', `${PODS}/a`);
  await clock.advance(500);
  expect((await ask(sandbox, 'GET', `${PODS}/a`)).status).toBe(200);
  await clock.advance(1_500);
  expect((await ask(sandbox, 'GET', `${PODS}/a`)).status).toBe(404);
});

it('does not remove a new pod that has the name of a deleted one', async () => {
  sandbox.apply(bound('a'));
  await ask(sandbox, 'DELETE', `${PODS}/a`);
  await ask(sandbox, 'DELETE', `${PODS}/a?gracePeriodSeconds=0`);
  sandbox.apply(bound('a'));
  await clock.advance(10_000);
  expect((await ask(sandbox, 'GET', `${PODS}/a`)).status).toBe(200);
});

it('keeps a pod that finalizers delay', async () => {
  sandbox.apply(bound('a', { finalizers: ['example.com/a'] }));
  await ask(sandbox, 'DELETE', `${PODS}/a`);
  await clock.advance(10_000);
  expect((await ask(sandbox, 'GET', `${PODS}/a`)).body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
});
