import { expect, it } from 'vitest';
import { shardsFound } from '../../src/doctor/shard-check.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { type InProcess, inProcess } from '../support/in-process.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true } as ResourceType;

const asking = ({ client }: Pick<InProcess, 'client'>) => ({
  client,
  type,
  namespace: 'shop',
  signal: new AbortController().signal,
});

it('says who divides, also where there are no objects', async () => {
  await using off = await inProcess();
  expect((await shardsFound(asking(off))).found).toMatch(/^the client divides/);
  await using on = await inProcess({ featureGates: { ShardedListAndWatch: true } });
  expect((await shardsFound(asking(on))).found).toMatch(/^the server divides/);
});

it('a refusal of the question who divides is no fault', async () => {
  await using cluster = await inProcess();
  cluster.sandbox.faults.add({ fault: { kind: 'status', code: 500 } });
  expect((await shardsFound(asking(cluster))).status).toBe('skipped');
});
