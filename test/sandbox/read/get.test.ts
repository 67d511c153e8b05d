import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyText, Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, configMapNamed, PODS, podNamed } from '../../support/sandbox-requests.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });
  sandbox.apply([configMapNamed('a', { k: 'v' }), { ...podNamed('p'), status: { phase: 'Running' } }]);
});
afterAll(() => sandbox.stop());

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

it('answers 404 for an object that does not exist, also in another namespace', async () => {
  const none = await ask(sandbox, 'GET', `${CONFIG_MAPS}/none`);
  expect([none.status, none.body.message]).toEqual([404, 'configmaps "none" not found']);
  expect((await ask(sandbox, 'GET', '/api/v1/namespaces/other/configmaps/a')).status).toBe(404);
});

it('shows the whole object at the status subresource', async () => {
  const { body } = await ask(sandbox, 'GET', `${PODS}/p/status`);
  expect(body).toEqual((await ask(sandbox, 'GET', `${PODS}/p`)).body);
  expect([body.status.phase, body.spec.containers]).toEqual(['Running', expect.any(Array)]);
});

it('shows a table with one row', async () => {
  const { body } = await ask(sandbox, 'GET', `${PODS}/p`, undefined, TABLE);
  expect([body.kind, body.rows.length, body.rows[0]?.cells[0]]).toEqual(['Table', 1, 'p']);
});

it('is indented for curl and on request, and YAML for a client that asks for it', async () => {
  const get = async (headers: Record<string, string>, query = '') => {
    return bodyText(await sandbox.handle({ method: 'GET', path: `${CONFIG_MAPS}/a${query}`, headers }));
  };
  expect(await get({ 'user-agent': 'curl/8.1' })).toContain('{\n  "kind": "ConfigMap",\n');
  expect(await get({}, '?pretty=true')).toContain('\n  "data": {\n');
  expect(await get({ accept: 'application/yaml' })).toContain('\ndata:\n  k: v\n');
  expect(await get({ accept: 'application/vnd.kubernetes.protobuf,application/json' })).toMatch(
    /^\{"kind":"ConfigMap"/,
  );
});
