import { afterAll, beforeAll, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { ask } from '../../support/sandbox-requests.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
});

afterAll(() => sandbox.stop());

it('shows a Scale as a table, as its metadata, and as an object', async () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 3, selector: { matchLabels: { a: 'b' } }, template };
  sandbox.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec,
    status: { replicas: 2 },
  });
  const scale = (accept: string) =>
    ask(sandbox, 'GET', '/apis/apps/v1/namespaces/default/deployments/web/scale', undefined, { accept });
  const table = (await scale('application/json;as=Table;v=v1;g=meta.k8s.io')).body;
  expect([table.kind, table.columnDefinitions?.map((c) => c.name)]).toEqual([
    'Table',
    ['Name', 'Desired', 'Available', 'Age'],
  ]);
  expect(table.rows[0]?.cells.slice(0, 3)).toEqual(['web', 3, 2]);
  expect((await scale('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io')).body.kind).toBe(
    'PartialObjectMetadata',
  );
  expect((await scale('application/json')).body).toMatchObject({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    spec: { replicas: 3 },
  });
});
