import { describe, expect, test } from 'vitest';
import { nearValues } from '../../../src/cli/hints/near-values.ts';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseIndex } from '../../../src/query/index/index-definition.ts';
import { type LookupFlag, parseLookup } from '../../../src/query/index/lookup.ts';
import { factsOf } from '../../support/hints.ts';
import { PODS, storeOf } from '../../support/query.ts';

const typeOf = (resource: string) =>
  ({ gvr: { group: '', version: 'v1', resource }, kind: 'X', singular: resource.slice(0, -1) }) as ResourceType;

const targetOf = (lister: ReturnType<typeof storeOf>) => ({ names: undefined, informer: { lister } }) as never;

interface Given {
  readonly objects?: readonly ReadonlyObject[];
  readonly resource?: string;
  readonly catalog?: IndexCatalog;
}

function hints(flag: LookupFlag, text: string, { objects = PODS, resource = 'pods', catalog }: Given = {}) {
  const samples = [{ type: typeOf(resource), objects }];
  const targets = [targetOf(storeOf([...objects] as UnknownObject[], []))];
  const plan = { lookups: [parseLookup(flag, text)] };
  return nearValues(factsOf(samples, plan, { targets, catalog: catalog ?? new IndexCatalog() }));
}

const owned = (kind: string, name: string): UnknownObject => ({
  metadata: {
    name: 'x',
    namespace: 'shop',
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: '0e9a37ab-1f2b-4c3d-8e9f-0a1b2c3d4e5f' }],
  },
});

describe('a value that no object has', () => {
  test.each<[LookupFlag, string, string]>([
    ['eq', 'phase=running', '--eq phase=running: no object has this value; did you mean phase=Running?'],
    ['in', 'phase=Runing,Failed', '--in phase=Runing: no object has this value; did you mean phase=Running?'],
    ['eq', 'node=worker-7', '--eq node=worker-7: no object has this value; the values are n1, n2'],
    ['eq', 'node=', '--eq node=: an object without a value is not in the index; --filter finds those, with !has(…)'],
    ['eq', 'configmap=x', '--eq configmap=x: none of 5 pods has a value in the index configmap (config maps that are mounted or used for environment variables)'], // biome-ignore format: one row
    ['prefix', 'image=ap1', '--prefix image=ap1: no value begins so; the values are app:1, app:2, side:2'],
    ['prefix', 'configmap=x', '--prefix configmap=x: none of 5 pods has a value in the index configmap (config maps that are mounted or used for environment variables)'], // biome-ignore format: one row
    ['range', 'node=5..9', '--range node=5..9: no quantity is in this range; the values are n1, n2'],
    ['range', 'node=x..z', '--range node=x..z: no value is in this range; the values are n1, n2'],
  ])('has a hint: --%s %s', async (flag, text, hint) => {
    expect(await hints(flag, text)).toEqual([hint]);
  });

  test.each<[LookupFlag, string]>([
    ['eq', 'phase=Running'],
    ['prefix', 'image=app'],
    ['range', 'node=a..z'],
    ['eq', 'label:app=a'],
  ])('has none if objects have it: --%s %s', async (flag, text) => {
    expect(await hints(flag, text)).toEqual([]);
  });

  test('has none without objects: nothing is known then', async () => {
    expect(await hints('eq', 'configmap=x', { objects: [] })).toEqual([]);
  });
});

describe('a reference that no object has', () => {
  const kindOf = (word: string) => ({ deploy: 'Deployment.apps', rs: 'ReplicaSet.apps' })[word];
  const catalog = new IndexCatalog([], { kindOf });
  const objects = [owned('Deployment', 'web'), owned('Deployment', 'api'), owned('StatefulSet', 'db')];

  test.each([
    ['owner=web', 'owner=web: an owner is written KIND/NAME, such as deploy/web, or as its uid; did you mean owner=deployment/web?'], // biome-ignore format: one row
    ['owner=nothing', 'owner=nothing: an owner is written KIND/NAME, such as deploy/nothing, or as its uid'],
    ['owner=deploy/wbe', 'owner=deploy/wbe: no object has this value; did you mean owner=deployment/web?'],
    ['owner=rs/db', 'owner=rs/db: no object has this value; did you mean owner=statefulset/db?'],
    ['owner=deplyo/web', 'owner=deplyo/web: no object has this value; did you mean owner=deployment/web?'],
    ['owner=rs/zzz', 'owner=rs/zzz: no object has this value; the values are deployment/api, deployment/web, statefulset/db'], // biome-ignore format: one row
  ])('has a hint: --eq %s', async (text, hint) => {
    expect(await hints('eq', text, { objects, catalog })).toEqual([`--eq ${hint}`]);
  });
});

test('values of Secrets are in no hint', async () => {
  const catalog = new IndexCatalog([await parseIndex('p=.data.password')]);
  const objects = [{ metadata: { name: 'login' }, data: { password: 'c2VjcmV0' } } as UnknownObject];
  expect(await hints('eq', 'p=c2VjcmV1', { objects, resource: 'secrets', catalog })).toEqual([]);
  expect(await hints('eq', 'p=c2VjcmV1', { objects, resource: 'configmaps', catalog })).toHaveLength(1);
});

test('a long value is cut, and one of several lines shows its first', async () => {
  const config = (name: string, text: string) => ({ metadata: { name }, status: { phase: text } }) as UnknownObject;
  const objects = [config('a', `a${'y'.repeat(3000)}`), config('b', 'b\u001b[31m\nmore')];
  expect(await hints('eq', 'phase=x', { objects })).toEqual([
    `--eq phase=x: no object has this value; the values are a${'y'.repeat(79)}…, b^[[31m...`,
  ]);
});

test('a value that exists has no hint, however many others there are, and a part of the objects is named as such', async () => {
  const numbered = Array.from({ length: 10_050 }, (_, i) => ({ metadata: { name: `p-${i}` } }) as UnknownObject);
  const catalog = new IndexCatalog([await parseIndex('n=.metadata.name')]);
  for (const kept of [[], [catalog.get('n')]]) {
    const ask = (text: string, isPart = false) => {
      const samples = [{ type: typeOf('pods'), objects: numbered, isPart }];
      const targets = [targetOf(storeOf(numbered, kept))];
      return nearValues(factsOf(samples, { lookups: [parseLookup('eq', text)] }, { targets, catalog }));
    };
    expect(await ask('n=p-10049')).toEqual([]);
    expect(await ask('n=q-7')).toEqual(['--eq n=q-7: no object has this value; did you mean n=p-7?']);
    expect(await ask('n=q-7', true)).toEqual([
      '--eq n=q-7: none of the first 10050 objects has this value; did you mean n=p-7?',
    ]);
  }
});
