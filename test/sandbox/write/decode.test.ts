import { expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../support/sandbox-requests.ts';
import { PATHS, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const configMap = (more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, ...more });

it('refuses a secret that is not base64, and names the wrong byte', async () => {
  const { status, body } = await server.ask('POST', PATHS.secrets, {
    metadata: { name: 's' },
    data: { a: 'plain text' },
  });
  expect([status, body.message]).toEqual([
    400,
    'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 5',
  ]);
  expect((await server.ask('POST', PATHS.secrets, { metadata: { name: 's' }, data: { a: 'abc' } })).status).toBe(400);
  expect(
    (await server.ask('POST', PATHS.secrets, { metadata: { name: 's' }, data: { a: 'YWJj', b: '', c: 'YQ==' } }))
      .status,
  ).toBe(201);
});

it('reads null in a map or a list as the empty value, as Go does', async () => {
  const cm = configMap({ data: { a: null } });
  const { body } = await server.ask('POST', CONFIG_MAPS, { ...cm, metadata: { name: 'cm', labels: { l: null } } });
  expect([body.data, body.metadata.labels]).toEqual([{ a: '' }, { l: '' }]);
  const owned = await server.ask('POST', CONFIG_MAPS, {
    metadata: { name: 'x', ownerReferences: [null], finalizers: [null] },
  });
  expect(owned.status).toBe(422);
  const put = await server.ask('PUT', `${CONFIG_MAPS}/cm`, { ...cm, metadata: { name: 'cm', managedFields: [null] } });
  expect(put.status).toBe(200);
});
