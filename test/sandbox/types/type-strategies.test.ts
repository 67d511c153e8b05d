import { expect, it } from 'vitest';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import * as traits from '../../../src/sandbox/types/type-strategies.ts';
import { EVERY_TYPE } from '../../support/gated-types.ts';

const builtin = builtinTypes(EVERY_TYPE);
const find = (storage: string) => builtin.find((t) => t.storage === storage) as ApiType;
const custom: ApiType = {
  ...find('pods'),
  storage: 'apples.a.io',
  custom: { columns: [], selectableFields: [], schema: undefined },
};

it.each<[trait: (type: ApiType) => boolean, yes: string, no: string, ofCustom: boolean]>([
  [traits.countsGeneration, 'pods', 'configmaps', true],
  [traits.returnsDeleted, 'pods', 'configmaps', false],
  [traits.needsVersionToUpdate, 'leases.coordination.k8s.io', 'pods', true],
  [traits.guardsStatus, 'pods', 'nodes', true],
  [traits.isCreatedByUpdate, 'roles.rbac.authorization.k8s.io', 'pods', false],
  [traits.orphansByDefault, 'jobs.batch', 'deployments.apps', false],
  [traits.keepsMetadataAtStatus, 'customresourcedefinitions.apiextensions.k8s.io', 'pods', true],
  [traits.countsAnnotations, 'deployments.apps', 'replicasets.apps', false],
])('%o is a trait of %s, not of %s; of a custom type: %o', (trait, yes, no, ofCustom) => {
  expect([trait(find(yes)), trait(find(no)), trait(custom)]).toEqual([true, false, ofCustom]);
});

it.each([
  ['clusterroles.rbac.authorization.k8s.io', 'segment'],
  ['clustertrustbundles.certificates.k8s.io', 'segment'],
  ['services', 'label'],
  ['pods', 'subdomain'],
])('the names of %s have the form %s', (storage, rule) => {
  expect(traits.nameRule(find(storage))).toBe(rule);
});

it('names only types that exist', () => {
  const storages = new Set(builtin.map((t) => t.storage));
  const rules = [
    traits.countsGeneration,
    traits.returnsDeleted,
    traits.needsVersionToUpdate,
    traits.keepsMetadataAtStatus,
  ];
  const counts = rules.map((rule) => [...storages].filter((storage) => rule(find(storage))).length);
  expect(counts).toEqual([22, 7, 19, 10]);
});
