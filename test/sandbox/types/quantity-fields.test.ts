import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, type Loose, PODS } from '../../support/sandbox-requests.ts';

let clock: FakeClock;
let sandbox: Sandbox;
beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(() => sandbox.stop());

const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const quota = (hard: Record<string, unknown>) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard },
});
const hardOf = (body: Loose) => (body.spec as { hard: Record<string, string> }).hard;
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

describe('quantities are stored in the form of a server', () => {
  it('by create, update and every patch', async () => {
    expect(hardOf((await ask(sandbox, 'POST', QUOTAS, quota({ cpu: 0.5, memory: '1.5Gi' }))).body)).toEqual({
      cpu: '500m',
      memory: '1536Mi',
    });
    expect(hardOf((await ask(sandbox, 'PUT', `${QUOTAS}/q`, quota({ cpu: '1000m' }))).body)).toEqual({ cpu: '1' });
    const patches = [
      ['application/merge-patch+json', { spec: { hard: { cpu: '2000m' } } }],
      ['application/strategic-merge-patch+json', { spec: { hard: { cpu: '3000m' } } }],
      ['application/json-patch+json', [{ op: 'replace', path: '/spec/hard/cpu', value: '4000m' }]],
    ] as const;
    const stored = [];
    for (const [type, body] of patches)
      stored.push(hardOf((await ask(sandbox, 'PATCH', `${QUOTAS}/q`, body, { 'content-type': type })).body).cpu);
    const applied = await ask(
      sandbox,
      'PATCH',
      `${QUOTAS}/q?fieldManager=a&force=true`,
      quota({ cpu: '5000m' }),
      APPLY,
    );
    expect([...stored, hardOf(applied.body).cpu]).toEqual(['2', '3', '4', '5']);
  });

  it('by the fixtures of code', () => {
    sandbox.apply({ ...quota({ cpu: '0.5' }) });
    expect(sandbox.get({ apiVersion: 'v1', kind: 'ResourceQuota' }, 'default/q')?.spec).toEqual({
      hard: { cpu: '500m' },
    });
  });

  it('at every place that has one', async () => {
    const { body } = await ask(sandbox, 'POST', PODS, {
      metadata: { name: 'p' },
      spec: {
        overhead: { cpu: '0.25' },
        containers: [
          {
            name: 'c',
            image: 'i',
            resources: { limits: { cpu: '0.1', 'ephemeral-storage': '1024Mi' }, requests: { cpu: '0.0001' } },
            env: [{ name: 'E', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1000m' } } }],
          },
        ],
        volumes: [
          { name: 'v', emptyDir: { sizeLimit: '0.5Gi' } },
          {
            name: 'w',
            ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1024Ki' } } } } },
          },
        ],
      },
    });
    expect(JSON.stringify(body.spec)).toContain('"overhead":{"cpu":"250m"}');
    expect(JSON.stringify(body.spec)).toContain('"limits":{"cpu":"100m","ephemeral-storage":"1Gi"}');
    expect(JSON.stringify(body.spec)).toContain('"requests":{"cpu":"1m"');
    expect(JSON.stringify(body.spec)).toContain('"divisor":"1"');
    expect(JSON.stringify(body.spec)).toContain('"sizeLimit":"512Mi"');
    expect(JSON.stringify(body.spec)).toContain('"requests":{"storage":"1Mi"}');
  });

  it('but are what they were in a custom resource', async () => {
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    sandbox.apply([
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'apples.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'apples', kind: 'Apple' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      },
    ]);
    const made = { apiVersion: 'example.com/v1', kind: 'Apple', metadata: { name: 'a' }, spec: { cpu: '1000m' } };
    const { body } = await ask(sandbox, 'POST', '/apis/example.com/v1/namespaces/default/apples', made);
    expect(body.spec).toEqual({ cpu: '1000m' });
  });
});

it('applying a quantity in another form again writes nothing, and another manager gets a conflict', async () => {
  const apply = (manager: string, cpu: string) =>
    ask(sandbox, 'PATCH', `${QUOTAS}/q?fieldManager=${manager}`, quota({ cpu }), APPLY);
  const first = await apply('a', '0.5');
  await clock.advance(5_000);
  const again = await apply('a', '0.5');
  expect(again.body.metadata).toEqual(first.body.metadata);
  expect((await apply('b', '0.5')).status).toBe(409);
  expect((await apply('b', '500m')).status).toBe(200);
});

it('a text that is no quantity is refused', async () => {
  const { status, body } = await ask(sandbox, 'POST', QUOTAS, quota({ cpu: '5KK' }));
  expect([status, body.message]).toEqual([
    400,
    'ResourceQuota in version "v1" cannot be handled as a ResourceQuota: unable to parse quantity\'s suffix',
  ]);
});
