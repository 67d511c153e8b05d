import { describe, expect, it } from 'vitest';
import { mappedType } from '../../../src/cli/reconcile/key-map.ts';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { type IndexDefinition, parseIndex } from '../../../src/query/index/index-definition.ts';
import { storeOf } from '../../support/query.ts';

const type = (resource: string, namespaced = true, group = ''): ResourceType => ({
  gvr: { group, version: 'v1', resource },
  kind: resource,
  singular: '',
  shortNames: [],
  categories: [],
  namespaced,
  verbs: ['list', 'watch'],
  subresources: [],
  preferred: true,
});
const DEPLOYMENTS = type('deployments', true, 'apps');

const deployment = (name: string, config: string, namespace = 'shop'): UnknownObject => ({
  metadata: { name, namespace },
  spec: { config, template: { spec: { containers: [{ envFrom: [{ configMapRef: { name: config } }] }] } } },
});
const configMap = (name: string, data: object = {}): ReadonlyObject => ({
  metadata: { name, namespace: 'shop', uid: `uid-of-${name}`, labels: { app: 'web', none: '' } },
  data,
});

async function mapOf(
  map: string,
  { watched = type('configmaps'), primary = DEPLOYMENTS, showSecrets = false, indexes = [] as IndexDefinition[] } = {},
) {
  const notices: string[] = [];
  const session = {
    resolve: async () => [{ type: watched, names: [] }],
    notice: (text: string) => void notices.push(text),
  };
  const onError = (error: Error) => void notices.push(error.message);
  const mapped = await mappedType({ type: 'any', map }, session, { primary, indexes, showSecrets, onError });
  const keysOf = (object: ReadonlyObject, objects: UnknownObject[] = []) =>
    mapped.keysOf(object, storeOf(objects, [...(mapped.index ? [mapped.index] : [])]));
  return { keysOf, notices, mapped };
}

describe('--map by an expression', () => {
  const data = { one: 'api', two: 'bank/api', list: ['a', 'b/c'], ref: { namespace: 'bank', name: 'x', kind: 'K' } };

  it.each([
    ['.data.one', ['shop/api']],
    ['.data.two', ['bank/api']],
    ['.data.list[*]', ['shop/a', 'b/c']],
    ['.data.ref', ['bank/x']],
    ['.metadata.labels.none', []],
    ['object.data.one', ['shop/api']],
    ['object.data.list.map(n, n)', ['shop/a', 'b/c']],
    ['object.data.list.map(n, {"name": "web"})', ['shop/web', 'shop/web']],
    ['[{"namespace": object.data.one, "name": "web"}, {"name": "x"}]', ['api/web', 'shop/x']],
    ["{'name': object.data.one}", ['shop/api']],
    ['object.data.absent', []],
  ])('%s finds the keys that its values name', async (map, keys) => {
    const { keysOf, notices } = await mapOf(map);
    expect([keysOf(configMap('settings', data)), notices]).toEqual([keys, []]);
  });

  it('a name is one of no namespace where the reconciled type has none', async () => {
    const { keysOf } = await mapOf('.data.one', { primary: type('nodes', false) });
    expect(keysOf(configMap('settings', data))).toEqual(['api']);
  });

  it.each([
    ['.data', '{"one":"a/b/c"}'],
    ['.data.one', '"a/b/c"'],
    ['object.data', '{"one":"a/b/c"}'],
    ['[true, object.data.one]', 'true'],
  ])('%s finds what is no key: it is left out and reported once', async (map, shown) => {
    const { keysOf, notices } = await mapOf(map);
    expect([keysOf(configMap('a', { one: 'a/b/c' })), keysOf(configMap('b', { one: 'a/b/c' }))]).toEqual([[], []]);
    expect(notices).toEqual([
      `--map ${map} finds ${shown}, which is no name, no namespace/name and no {namespace, name}`,
    ]);
  });

  it('CEL that fails on an object finds nothing, and is reported', async () => {
    const { keysOf, notices } = await mapOf('object.data.one + 1');
    expect(keysOf(configMap('a', { one: 'x' }))).toEqual([]);
    expect(notices).toEqual([expect.stringContaining('--map')]);
  });

  it('makes no keys of the values of Secrets, and shows none where they are no keys', async () => {
    const secrets = type('secrets');
    await expect(mapOf('.data.password', { watched: secrets })).rejects.toMatchObject({ code: 'argument' });
    for (const map of ['object.data.password', '..password', 'object.data']) {
      const { keysOf, notices } = await mapOf(map, { watched: secrets });
      expect(keysOf(configMap('login', { password: 'c2VjcmV0' }))).toEqual([]);
      expect(notices.join()).not.toContain('c2VjcmV0');
    }
    const { keysOf } = await mapOf('.data.password', { watched: secrets, showSecrets: true });
    expect(keysOf(configMap('login', { password: 'web' }))).toEqual(['shop/web']);
  });
});

describe('--map index:NAME', () => {
  const objects = [
    deployment('api', 'settings'),
    deployment('web', 'settings'),
    deployment('db', 'other'),
    deployment('far', 'settings', 'bank'),
  ];

  it('finds the reconciled objects that have the object’s name in the index, in its namespace', async () => {
    const { keysOf } = await mapOf('index:configmap');
    expect(keysOf(configMap('settings'), objects)).toEqual(['shop/api', 'shop/web']);
    expect(keysOf(configMap('absent'), objects)).toEqual([]);
  });

  it('finds those of every namespace for an object without one', async () => {
    const { keysOf } = await mapOf('index:node', { watched: type('nodes', false), primary: type('pods') });
    const pod = (namespace: string) => ({ metadata: { name: 'web', namespace }, spec: { nodeName: 'n1' } });
    expect(keysOf({ metadata: { name: 'n1' } }, [pod('shop'), pod('bank')])).toEqual(['shop/web', 'bank/web']);
  });

  it('knows the declared indexes, whose values may be namespace/name', async () => {
    const indexes = [await parseIndex('config=object.metadata.namespace + "/" + object.spec.config')];
    const { keysOf } = await mapOf('index: config', { indexes });
    expect(keysOf(configMap('settings'), objects)).toEqual(['shop/api', 'shop/web']);
  });

  it('finds those whose owner the object is by its uid', async () => {
    const { keysOf } = await mapOf('index:owner');
    const owned = { ...deployment('own', 'x') };
    owned.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'uid-of-settings' }];
    expect(keysOf(configMap('settings'), [...objects, owned])).toEqual(['shop/own']);
  });

  it('finds the role bindings of every namespace that name a service account', async () => {
    const primary = type('rolebindings', true, 'rbac.authorization.k8s.io');
    const { keysOf } = await mapOf('index:serviceaccount', { watched: type('serviceaccounts'), primary });
    const binding = {
      metadata: { name: 'b', namespace: 'bank' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'shop' }],
    };
    expect(keysOf(configMap('robot'), [binding])).toEqual(['bank/b']);
  });

  it('refuses an unknown index with the nearest one and the list', async () => {
    await expect(mapOf('index:configmaps')).rejects.toMatchObject({
      code: 'argument',
      message: 'there is no index named "configmaps"; did you mean "configmap"?',
      hint: expect.stringContaining(new IndexCatalog().names().join(', ')),
    });
  });
});
