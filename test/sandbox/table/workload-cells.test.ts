import { expect, it } from 'vitest';
import { WORKLOAD_CELLS } from '../../../src/sandbox/table/workload-cells.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:50:00Z' };

/** The cells of an object that is ten minutes old. */
const cells = (storage: string, object: object) => WORKLOAD_CELLS[storage]?.({ metadata, ...object }, NOW);

it.each<[storage: string, object: object, cells: unknown[]]>([
  [
    'jobs.batch',
    { spec: { completions: 3 }, status: { succeeded: 1, startTime: '2026-01-01T00:58:00Z' } },
    ['x', 'Running', '1/3', '2m', '10m', '', '', '<none>'],
  ],
  ['statefulsets.apps', { spec: { replicas: 3 }, status: { readyReplicas: 1 } }, ['x', '1/3', '10m', '', '']],
  [
    'deployments.apps',
    {
      spec: {
        replicas: 3,
        selector: { matchLabels: { b: '2', a: '1' } },
        template: {
          spec: {
            containers: [
              { name: 'c', image: 'i' },
              { name: 'd', image: 'j' },
            ],
          },
        },
      },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    },
    ['x', '1/3', 2, 1, '10m', 'c,d', 'i,j', 'a=1,b=2'],
  ],
  [
    'replicasets.apps',
    { spec: { replicas: 3 }, status: { replicas: 2, readyReplicas: 1 } },
    ['x', 3, 2, 1, '10m', '', '', '<none>'],
  ],
  ['scales.autoscaling', { spec: { replicas: 3 }, status: { replicas: 2 } }, ['x', 3, 2, '10m']],
  [
    'daemonsets.apps',
    {
      spec: { template: { spec: { nodeSelector: { disk: 'ssd' } } } },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    },
    ['x', 5, 4, 3, 2, 1, 'disk=ssd', '10m', '', '', '<none>'],
  ],
  [
    'cronjobs.batch',
    {
      spec: { schedule: '* * * * *', suspend: false },
      status: { active: [{}, {}], lastScheduleTime: '2026-01-01T00:59:00Z' },
    },
    ['x', '* * * * *', '<none>', 'False', 2, '60s', '10m', '', '', '<none>'],
  ],
  ['cronjobs.batch', { spec: { timeZone: 'UTC' } }, ['x', '', 'UTC', '<unset>', 0, '<none>', '10m', '', '', '<none>']],
])('shows the cells of %s', (storage, object, expected) => {
  expect(cells(storage, object)).toEqual(expected);
});

const is = (type: string) => ({ status: { conditions: [{ type, status: 'True' }] } });

it.each<[status: string, job: object]>([
  ['Running', {}],
  ['Complete', is('Complete')],
  ['Failed', is('Failed')],
  ['Suspended', is('Suspended')],
  ['FailureTarget', is('FailureTarget')],
  ['Terminating', { ...is('Suspended'), metadata: { ...metadata, deletionTimestamp: metadata.creationTimestamp } }],
  ['Complete', { ...is('Complete'), metadata: { ...metadata, deletionTimestamp: metadata.creationTimestamp } }],
])('shows the status %s of the job %j', (status, job) => {
  expect(cells('jobs.batch', job)?.[1]).toBe(status);
});

it.each([
  [{ completions: 3, parallelism: 2 }, '1/3'],
  [{ parallelism: 2 }, '1/1 of 2'],
  [{ parallelism: 1 }, '1/1'],
])('shows the completions of the job spec %j as %s', (spec, text) => {
  expect(cells('jobs.batch', { spec, status: { succeeded: 1 } })?.[2]).toBe(text);
});

it('counts the duration of a job to its end, or to now', () => {
  const startTime = '2026-01-01T00:50:00Z';
  expect(cells('jobs.batch', { status: { startTime, completionTime: '2026-01-01T00:53:00Z' } })?.[3]).toBe('3m');
  expect(cells('jobs.batch', { status: { startTime } })?.[3]).toBe('10m');
  expect(cells('jobs.batch', {})?.[3]).toBe('');
});
