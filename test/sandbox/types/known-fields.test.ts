import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { dropUnknownFields } from '../../../src/sandbox/types/known-fields.ts';
import { ask, PODS } from '../../support/sandbox-requests.ts';

const type = (kind: string) => {
  const found = builtinTypes().find((t) => t.kind === kind);
  if (!found) throw new Error(`no ${kind}`);
  return found;
};

const dropped = (kind: string, object: object) => {
  const copy = structuredClone({ apiVersion: 'x', kind, metadata: { name: 'a' }, ...object }) as UnknownObject;
  return { names: dropUnknownFields(type(kind), copy), left: copy };
};

const template = (spec: object) => ({ metadata: { labels: {} }, spec });

describe('fields that a type does not have', () => {
  it('are found at every depth: in objects, lists and maps, also in status', () => {
    const containers = [
      { name: 'c', livenessProbe: { httpGet: { port: 1, sheme: 'HTTP' } }, resources: { limit: {} } },
    ];
    const object = { spec: { template: template({ containers }) }, status: { replicas: 1, ready: 2 }, extra: 1 };
    const { names, left } = dropped('Deployment', object);
    expect(names).toEqual([
      'spec.template.spec.containers[0].livenessProbe.httpGet.sheme',
      'spec.template.spec.containers[0].resources.limit',
      'status.ready',
      'extra',
    ]);
    expect(left.status).toEqual({ replicas: 1 });
  });

  it.each<[kind: string, object: object]>([
    [
      'StatefulSet',
      {
        spec: { volumeClaimTemplates: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'd' } }] },
      },
    ],
    ['ConfigMap', { data: { whatever: 'x' }, metadata: { labels: { any: 'thing' }, annotations: { 'a/b': 'c' } } }],
    [
      'Pod',
      {
        spec: {
          volumes: [{ name: 'v', configMap: { name: 'c' } }],
          containers: [{ name: 'c', envFrom: [{ secretRef: { name: 's' } }] }],
        },
      },
    ],
    ['ControllerRevision', { data: { spec: { anything: [1] } }, revision: 1 }],
    [
      'CustomResourceDefinition',
      { spec: { versions: [{ schema: { openAPIV3Schema: { properties: { a: { items: { type: 'string' } } } } } }] } },
    ],
  ])('are not reported for an unusual but correct object: %s', (kind, object) => {
    expect(dropped(kind, object).names).toEqual([]);
  });
});

it('fields that a built-in type does not have are dropped with a warning, and refused when strict', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  const pod = (name: string) => ({
    metadata: { name, lables: {} },
    spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, containerport: 1 }] }], nodename: 'n' },
  });
  const unknown = ['metadata.lables', 'spec.containers[0].ports[0].containerport', 'spec.nodename'];
  const loose = await ask(sandbox, 'POST', PODS, pod('loose'));
  expect([loose.status, loose.headers.warning]).toEqual([
    201,
    unknown.map((field) => `299 - "unknown field \\"${field}\\""`).join(', '),
  ]);
  expect(loose.body.spec).not.toHaveProperty('nodename');
  const strict = await ask(sandbox, 'POST', `${PODS}?fieldValidation=Strict`, pod('strict'));
  const message = `Pod in version "v1" cannot be handled as a Pod: strict decoding error: ${unknown.map((f) => `unknown field "${f}"`).join(', ')}`;
  expect([strict.status, strict.body.message]).toEqual([400, message]);
  const ignored = await ask(sandbox, 'POST', `${PODS}?fieldValidation=Ignore`, pod('ignored'));
  expect([ignored.status, ignored.headers.warning]).toEqual([201, undefined]);
});
