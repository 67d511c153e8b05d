import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { AnswerLog } from '../../src/doctor/answer-log.ts';
import {
  compressionFound,
  discoveryFound,
  namespaceFound,
  serverFound,
  userFound,
  type WhoAmI,
} from '../../src/doctor/server.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { pod } from '../support/fixture.ts';
import { type InProcess, inProcess, through } from '../support/in-process.ts';
import { startShop } from '../support/rbac.ts';

const { signal } = new AbortController();
const server = 'https://ann:hush@cluster.example';

/** The same cluster, which answers a path with another status. */
function answering({ transport, clock }: InProcess, status: number, where: string) {
  const changed = through(transport, async (request, send) => {
    const answer = await send(request);
    return request.path.startsWith(where) ? { ...answer, status } : answer;
  });
  return createClient(changed, { clock });
}

describe('whether the server answers', () => {
  it('says its version and address, without a password in it', async () => {
    await using cluster = await inProcess();
    expect(await serverFound(cluster.client, createConfig({ server }), signal)).toEqual({
      status: 'ok',
      found: 'Kubernetes v1.36.2 at https://cluster.example',
    });
  });

  it('warns where its certificate is not checked', async () => {
    await using cluster = await inProcess();
    const config = createConfig({ server, tls: { rejectUnauthorized: false } });
    expect(await serverFound(cluster.client, config, signal)).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('insecure-skip-tls-verify'),
    });
  });

  it.each([
    [401, 'ok'],
    [403, 'ok'],
    [503, 'problem'],
  ])('%i is %s', async (code, status) => {
    await using cluster = await inProcess();
    const client = answering(cluster, code, '/version');
    expect((await serverFound(client, createConfig({ server }), signal)).status).toBe(status);
  });
});

describe('who the server takes this user for', () => {
  it('is named with its groups', async () => {
    await using cluster = await inProcess({
      token: (sandbox) => sandbox.tokenFor({ user: 'vic', groups: ['shopkeepers'] }),
    });
    let user: WhoAmI | undefined;
    const found = await userFound(cluster.client, signal, (who) => {
      user = who;
    });
    expect({ ...found, user: user?.username }).toEqual({
      status: 'ok',
      found: expect.stringMatching(/^vic \(groups .*shopkeepers/),
      user: 'vic',
    });
  });

  it.each([
    [404, 'ok'],
    [403, 'ok'],
    [401, 'problem'],
  ])('with %i it is %s', async (code, status) => {
    await using cluster = await inProcess();
    const client = answering(cluster, code, '/apis/authentication.k8s.io/');
    expect((await userFound(client, signal, () => {})).status).toBe(status);
  });
});

it('API groups that do not answer are a warning, with the command that shows why', async () => {
  await using cluster = await inProcess();
  expect(await discoveryFound(cluster.client)).toMatchObject({ status: 'ok' });
  const half = answering(cluster, 503, '/apis');
  expect(await discoveryFound(half)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('no answer for apis'),
    fix: expect.stringContaining('kubectl get apiservice'),
  });
});

it('a namespace exists, does not exist, or may not be read', async () => {
  await using cluster = await inProcess({ objects: [pod('web-1')] });
  expect(await namespaceFound(cluster.client, 'shop', signal)).toEqual({ status: 'ok', found: 'it exists' });
  expect(await namespaceFound(cluster.client, 'shp', signal)).toMatchObject({ status: 'warning' });
  await using shop = await startShop();
  const vic = createClient(shop.transport({ token: shop.tokenFor({ user: 'ann' }) }));
  expect(await namespaceFound(vic, 'shop', signal)).toMatchObject({ status: 'skipped' });
});

it('compression is off, seen, or not seen', () => {
  const log = new AnswerLog(new FakeClock());
  const config = createConfig({ server });
  expect(compressionFound(log, { ...config, disableCompression: true }).found).toMatch(/^off/);
  expect(compressionFound(log, config).found).toMatch(/^not seen/);
  log.isCompressed = true;
  expect(compressionFound(log, config).found).toMatch(/gzip/);
});
