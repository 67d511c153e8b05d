import { expect, it } from 'vitest';
import { updateColumns } from '../../../tools/kubernetes-data/columns.ts';

const column = (name: string, type = 'string') => ({ name, type, format: '', description: `${name}.`, priority: 0 });
const type = { kind: 'K', namespaced: true, verbs: [] };
const types = { v1: { pods: type }, 'apps/v1': { deployments: type, controllerrevisions: type } };

const table = (path: string, ...columns: object[]) => ({
  request: { method: 'GET', path },
  response: { body: { kind: 'Table', columnDefinitions: columns } },
});

it('takes the columns of lists of built-in types, and keeps those of types that no Table shows', () => {
  const kept = { 'jobs.batch': [column('Name')] };
  const updated = updateColumns(
    { ...kept, pods: [column('Old')] },
    [
      table('/api/v1/namespaces/shop/pods?limit=1', column('Name'), column('Ready')),
      table('/apis/apps/v1/deployments', column('Name'), column('Up-to-date')),
      table('/apis/custom.io/v1/apples', column('Name'), column('Taste')),
      table('/api/v1/namespaces/shop/pods/web', column('Name'), column('Of one object')),
      { request: { method: 'GET', path: '/api/v1/pods' }, response: { body: { kind: 'PodList' } } },
    ],
    types,
  );
  expect(updated).toEqual({
    ...kept,
    pods: [column('Name'), column('Ready')],
    'deployments.apps': [column('Name'), column('Up-to-date')],
  });
});

it('writes the columns of a type without a printer once, for all such types', () => {
  const plain = [column('Name'), column('Created At', 'date')];
  expect(updateColumns({}, [table('/apis/apps/v1/controllerrevisions', ...plain)], types)).toEqual({ '': plain });
});
