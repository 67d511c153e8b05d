import { expect, it } from 'vitest';
import { CRDS, definition, useThings, version } from '../../support/custom-things.ts';
import { ask } from '../../support/sandbox-requests.ts';

const things = useThings();

interface Swagger {
  readonly swagger: string;
  readonly definitions: Record<string, Record<string, unknown> & { properties: Record<string, unknown> }>;
  readonly paths: Record<string, Record<string, { parameters: object[]; consumes?: string[] }>>;
}
const document = async () => (await ask<Swagger>(things.sandbox, 'GET', '/openapi/v2')).body;

it('the document has the schemas of all types, and every reference in it leads to a definition', async () => {
  const { swagger, definitions } = await document();
  expect(swagger).toBe('2.0');
  const text = JSON.stringify(definitions);
  const references = new Set([...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = '']) => target));
  expect(references.size).toBeGreaterThan(200);
  const known = new Set(Object.keys(definitions).map((name) => `#/definitions/${name}`));
  expect([...references].filter((target) => !known.has(target))).toEqual([]);
  const schemas = Object.values(definitions).flatMap((schema) => [schema, ...Object.values(schema.properties ?? {})]);
  const left = schemas.filter((schema) =>
    ['oneOf', 'anyOf', 'allOf', 'nullable'].some((word) => word in Object(schema)),
  );
  expect(left).toEqual([]);
  const deployment = definitions['io.k8s.api.apps.v1.Deployment'];
  expect(deployment?.['x-kubernetes-group-version-kind']).toEqual([
    { group: 'apps', version: 'v1', kind: 'Deployment' },
  ]);
  expect(deployment?.properties.spec).toMatchObject({ $ref: '#/definitions/io.k8s.api.apps.v1.DeploymentSpec' });
  expect(definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toMatchObject({
    type: 'string',
    format: 'int-or-string',
  });
});

it('a write has its object in the body, and the media types that it takes', async () => {
  const { paths } = await document();
  const { patch, post } = {
    ...paths['/api/v1/namespaces/{namespace}/pods/{name}'],
    ...paths['/api/v1/namespaces/{namespace}/pods'],
  };
  expect(post?.parameters).toContainEqual({
    name: 'body',
    in: 'body',
    required: true,
    schema: { $ref: '#/definitions/io.k8s.api.core.v1.Pod' },
  });
  expect(post?.parameters).toContainEqual({ name: 'fieldValidation', in: 'query', type: 'string' });
  expect(patch?.consumes).toContain('application/strategic-merge-patch+json');
});

it('custom types come and go with their definitions, and the document is not sent again while it is the same', async () => {
  const first = await ask(things.sandbox, 'GET', '/openapi/v2');
  const known = { 'if-none-match': first.headers.etag ?? '' };
  expect((await ask(things.sandbox, 'GET', '/openapi/v2', undefined, known)).status).toBe(304);
  const spec = { properties: { size: { anyOf: [{ type: 'integer' }], type: 'integer', nullable: true } } };
  things.sandbox.apply(definition([version({ spec })]));
  expect((await document()).definitions['com.example.v1.Thing']?.properties.spec).toEqual({
    type: 'object',
    properties: { size: { type: 'integer' } },
  });
  expect((await ask(things.sandbox, 'GET', '/openapi/v2', undefined, known)).status).toBe(200);
  await ask(things.sandbox, 'DELETE', `${CRDS}/things.example.com`);
  await things.clock.advance(60_000);
  expect(Object.keys((await document()).definitions)).not.toContain('com.example.v1.Thing');
});
