import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../../src/model/object.ts';
import { byPriority, storageOf, typesOf } from '../../../../src/sandbox/types/custom/crd-types.ts';

const names = { plural: 'apples', kind: 'Apple' };
const crd = (versions: object[], spec: object = {}): UnknownObject => ({
  metadata: { name: 'apples.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names, versions, ...spec },
});
const version = (name: string, more: object = {}) => ({ name, served: true, storage: false, ...more });

describe('the types of a definition', () => {
  it('have the names that the definition gives, or those that follow from the kind', () => {
    expect(typesOf(crd([version('v1')]))[0]).toMatchObject({
      gvr: { group: 'example.com', version: 'v1', resource: 'apples' },
      listKind: 'AppleList',
      singular: 'apple',
      shortNames: [],
      categories: [],
      namespaced: true,
      storage: 'apples.example.com',
    });
    const given = { ...names, listKind: 'Basket', singular: 'fruit', shortNames: ['ap'], categories: ['all'] };
    expect(typesOf(crd([version('v1')], { names: given, scope: 'Cluster' }))[0]).toMatchObject({
      listKind: 'Basket',
      singular: 'fruit',
      shortNames: ['ap'],
      categories: ['all'],
      namespaced: false,
    });
  });

  it('are one for each served version, the preferred version first', () => {
    const types = typesOf(crd([version('v1beta1'), version('v2'), version('v3', { served: false }), version('v1')]));
    expect(types.map(({ gvr, preferred }) => [gvr.version, preferred])).toEqual([
      ['v2', true],
      ['v1', false],
      ['v1beta1', false],
    ]);
  });

  it('have the subresources that the version defines', () => {
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
    const [none, both] = typesOf(crd([version('v2'), version('v1', { subresources: { status: {}, scale } })]));
    expect(none?.subresources).toEqual([]);
    expect(both?.subresources).toEqual(['status', 'scale']);
    expect(both?.subresourceTypes.get('scale')).toMatchObject({ kind: 'Scale', group: 'autoscaling', version: 'v1' });
    expect(both?.custom?.scale).toEqual(scale);
  });

  it('show their age unless the version defines columns', () => {
    const printed = [{ name: 'Colour', type: 'string', jsonPath: '.spec.colour' }];
    const [plain, own] = typesOf(
      crd([version('v2', { additionalPrinterColumns: [] }), version('v1', { additionalPrinterColumns: printed })]),
    );
    expect(plain?.custom?.columns.map(({ column, jsonPath }) => [column.name, column.type, jsonPath])).toEqual([
      ['Age', 'date', '.metadata.creationTimestamp'],
    ]);
    expect(own?.custom?.columns[0]?.column).toEqual({
      name: 'Colour',
      type: 'string',
      format: '',
      description: 'Custom resource definition column (in JSONPath format): .spec.colour',
      priority: 0,
    });
  });

  it('have selectable fields without the leading dot', () => {
    const [type] = typesOf(crd([version('v1', { selectableFields: [{ jsonPath: '.spec.colour' }] })]));
    expect(type?.custom?.selectableFields).toEqual(['spec.colour']);
  });

  it('are converted by a webhook when the definition has one and several versions', () => {
    const types = typesOf(
      crd([version('v2'), version('v1', { storage: true })], {
        conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x' } } },
      }),
    );
    expect(types.map(({ custom }) => custom?.conversion?.clientConfig.url)).toEqual(['https://x', 'https://x']);
    expect(types.map(({ custom }) => custom?.storedVersion)).toEqual(['v1', 'v1']);
  });
});

it('stores the objects of a definition under its plural name and group', () => {
  expect(storageOf({ group: 'example.com', scope: 'Namespaced', names, versions: [] })).toBe('apples.example.com');
});

it('orders versions as Kubernetes does', () => {
  const sorted = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
  expect([...sorted].reverse().sort(byPriority)).toEqual(sorted);
});
