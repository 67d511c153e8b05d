import { describe, expect, it } from 'vitest';
import { CRDS, causesOf, definition, useThings, version } from '../../../support/custom-things.ts';
import { ask } from '../../../support/sandbox-requests.ts';
import { useSandbox } from '../../../support/write-requests.ts';

const server = useSandbox();

const things = useThings();

describe('a wrong definition is refused with its problems:', () => {
  const refusal = async (versions: object[], spec: object = {}) =>
    causesOf(await ask(things.sandbox, 'POST', CRDS, definition(versions, spec)));
  const AT = 'spec.versions[0].schema.openAPIV3Schema';

  it.each<[string, object[], object, string[]]>([
    [
      'a name that does not match',
      [version()],
      { names: { plural: 'others', kind: 'Thing' } },
      ['metadata.name: Invalid value: "things.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'no scope',
      [version()],
      { scope: '' },
      ['spec.scope: Unsupported value: "": supported values: "Cluster", "Namespaced"'],
    ],
    ['no schema', [{ name: 'v1', served: true, storage: true }], {}, [`${AT}: Required value: schemas are required`]],
    [
      'no type',
      [version({ spec: { properties: { x: {} } } })],
      {},
      [`${AT}.properties[spec].properties[x].type: Required value: must not be empty for specified object fields`],
    ],
    [
      'a list without items',
      [version({ spec: { properties: { x: { type: 'array' } } } })],
      {},
      [`${AT}.properties[spec].properties[x].items: Required value: must be specified`],
    ],
    [
      'a root that is not an object',
      [version({ schema: { openAPIV3Schema: { type: 'string' } } })],
      {},
      [`${AT}.type: Invalid value: "string": must be object at the root`],
    ],
    [
      'a column of an unknown type',
      [version({ additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] })],
      {},
      [
        'spec.versions[0].additionalPrinterColumns[0].type: Unsupported value: "text": supported values: "boolean", "date", "integer", "number", "string"',
      ],
    ],
    [
      'a selectable field that does not exist',
      [version({ selectableFields: [{ jsonPath: '.spec.x' }] })],
      {},
      [
        'spec.versions[0].selectableFields[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field',
      ],
    ],
    [
      'a scale without paths',
      [version({ subresources: { scale: {} } })],
      {},
      [
        'spec.versions[0].subresources.scale.specReplicasPath: Required value',
        'spec.versions[0].subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'unknown fields preserved everywhere',
      [version()],
      { preserveUnknownFields: true },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'a webhook without a client configuration',
      [version()],
      { conversion: { strategy: 'Webhook' } },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
  ])('%s', async (_what, versions, spec, causes) => {
    expect(await refusal(versions, spec)).toEqual(causes);
  });

  it('two versions in storage', async () => {
    const [cause] = (await refusal([version(), version({ name: 'v2' })])) ?? [];
    expect(cause).toMatch(
      /^spec\.versions: Invalid value: \[.*\]: must have exactly one version marked as storage version$/,
    );
  });
});

it('refuses a definition with an invalid pattern', async () => {
  const { kind, apiVersion, spec } = {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
        },
      ],
    },
  };
  const { status, body } = await server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    kind,
    apiVersion,
    metadata: { name: 'gadgets.example.com' },
    spec,
  });
  expect(status).toBe(422);
  expect(body.message).toContain(
    'properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
  );
});

it('refuses a definition with nulls and numbers as its parts, without an internal error', async () => {
  const version = (more: object) => ({ name: 'v1', served: true, storage: true, ...more });
  const schema = (properties: unknown) => ({ schema: { openAPIV3Schema: { type: 'object', properties } } });
  const specs = [
    null,
    { group: null },
    { versions: null },
    { versions: [null] },
    { versions: [version({ ...schema({}), selectableFields: [null], additionalPrinterColumns: null })] },
    { versions: [version(schema({ a: { type: 'array', items: 5 } }))] },
    { versions: [version(schema({ a: null }))] },
  ];
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const whole = { group: 'example.com', scope: 'Namespaced', names };
  for (const spec of specs) {
    const body = { metadata: { name: 'gadgets.example.com' }, spec: spec && { ...whole, ...spec } };
    expect((await server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body)).status).toBe(
      422,
    );
  }
});
