import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type CheckedType, listFound, tableFound } from '../../src/doctor/type-reads.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { pod } from '../support/fixture.ts';
import { type InProcess, inProcess, through } from '../support/in-process.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true } as ResourceType;

const asking = ({ client }: Pick<InProcess, 'client'>, namespace: string | undefined = 'shop'): CheckedType => ({
  client,
  type,
  namespace,
  signal: new AbortController().signal,
});

it('counts the objects of a place by a list of one', async () => {
  await using cluster = await inProcess({ objects: [1, 2, 3].map((n) => pod(`web-${n}`)) });
  const found = async (namespace?: string) => (await listFound(asking(cluster, namespace), () => {})).found;
  expect(await found('shop')).toBe('a list works: 3 objects in shop');
  expect(await found('empty')).toBe('a list works: no objects in empty');
  expect(cluster.sent.every(({ path }) => path.includes('limit=1'))).toBe(true);
  let version = '';
  await listFound(asking(cluster), (of) => {
    version = of;
  });
  expect(version).toBe(cluster.sandbox.resourceVersion);
});

it('names the columns of the server; without tables it says what is missing', async () => {
  await using cluster = await inProcess();
  expect(await tableFound(asking(cluster))).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('the server prints Name, Ready, Status'),
  });
  const plain = through(cluster.transport, (request, send) =>
    send({ ...request, headers: { ...request.headers, accept: 'application/json' } }),
  );
  const client = createClient(plain, { clock: cluster.clock });
  expect(await tableFound(asking({ client }))).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('NAME'),
  });
});
