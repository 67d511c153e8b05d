import { expect, it } from 'vitest';
import { podCells, podRowConditions } from '../../../src/sandbox/table/pod-cells.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const running = { running: { startedAt: ago(9) } };
const container = (state: object, more: object = {}) => ({
  name: 'c',
  ready: false,
  restartCount: 0,
  state,
  lastState: {},
  ...more,
});

interface Case {
  metadata?: object;
  spec?: object;
  status: object;
}

const pod = ({ metadata = {}, spec = {}, status }: Case) => ({
  metadata: { name: 'p', creationTimestamp: ago(10), ...metadata },
  spec: { containers: [{ name: 'c' }], ...spec },
  status,
});

/** READY, STATUS and RESTARTS. */
const shown = (given: Case) => podCells(pod(given), NOW).slice(1, 4).join(' | ');

it.each<[string, Case, string]>([
  ['nothing is known yet', { status: {} }, '0/1 |  | 0'],
  ['it waits for a node', { status: { phase: 'Pending' } }, '0/1 | Pending | 0'],
  [
    'a scheduling gate keeps it from a node',
    {
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    },
    '0/1 | SchedulingGated | 0',
  ],
  [
    'its container is being created',
    { status: { phase: 'Pending', containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })] } },
    '0/1 | ContainerCreating | 0',
  ],
  [
    'it runs',
    { status: { phase: 'Running', containerStatuses: [container(running, { ready: true })] } },
    '1/1 | Running | 0',
  ],
  [
    'it crashed three times, the last four minutes ago',
    {
      status: {
        phase: 'Running',
        containerStatuses: [
          container(
            { waiting: { reason: 'CrashLoopBackOff' } },
            { restartCount: 3, lastState: { terminated: { finishedAt: ago(4) } } },
          ),
        ],
      },
    },
    '0/1 | CrashLoopBackOff | 3 (4m ago)',
  ],
  [
    'it ended with a code',
    { status: { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 7 } })] } },
    '0/1 | ExitCode:7 | 0',
  ],
  [
    'a signal ended it',
    { status: { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 137, signal: 9 } })] } },
    '0/1 | Signal:9 | 0',
  ],
  [
    'it is done',
    {
      status: {
        phase: 'Succeeded',
        containerStatuses: [container({ terminated: { exitCode: 0, reason: 'Completed' } })],
      },
    },
    '0/1 | Completed | 0',
  ],
  [
    'one container is done and another runs',
    {
      spec: { containers: [{ name: 'a' }, { name: 'b' }] },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          container({ terminated: { exitCode: 0, reason: 'Completed' } }),
          container(running, { ready: true }),
        ],
      },
    },
    '1/2 | Running | 0',
  ],
  [
    'the same, but it is not ready',
    {
      spec: { containers: [{ name: 'a' }, { name: 'b' }] },
      status: {
        phase: 'Running',
        containerStatuses: [
          container({ terminated: { exitCode: 0, reason: 'Completed' } }),
          container(running, { ready: true }),
        ],
      },
    },
    '1/2 | NotReady | 0',
  ],
  [
    'the second of three init containers runs',
    {
      spec: { initContainers: [{ name: 'a' }, { name: 'b' }, { name: 'd' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          container({ terminated: { exitCode: 0 } }),
          container(running),
          container({ waiting: { reason: 'PodInitializing' } }),
        ],
        containerStatuses: [container({ waiting: { reason: 'PodInitializing' } })],
      },
    },
    '0/1 | Init:1/3 | 0',
  ],
  [
    'an init container failed',
    {
      spec: { initContainers: [{ name: 'a' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [container({ terminated: { exitCode: 1, reason: 'Error' } }, { restartCount: 2 })],
      },
    },
    '0/1 | Init:Error | 2',
  ],
  [
    'an init container cannot start',
    {
      spec: { initContainers: [{ name: 'a' }] },
      status: { phase: 'Pending', initContainerStatuses: [container({ waiting: { reason: 'CrashLoopBackOff' } })] },
    },
    '0/1 | Init:CrashLoopBackOff | 0',
  ],
  [
    'a sidecar counts as a container',
    {
      spec: { initContainers: [{ name: 'c', restartPolicy: 'Always' }] },
      status: {
        phase: 'Running',
        initContainerStatuses: [container(running, { ready: true, started: true, restartCount: 1 })],
        containerStatuses: [container(running, { ready: true })],
      },
    },
    '2/2 | Running | 1',
  ],
  [
    'it is being deleted',
    {
      metadata: { deletionTimestamp: ago(0) },
      status: { phase: 'Running', containerStatuses: [container(running, { ready: true })] },
    },
    '1/1 | Terminating | 0',
  ],
  [
    'its node is lost',
    { metadata: { deletionTimestamp: ago(0) }, status: { phase: 'Running', reason: 'NodeLost' } },
    '0/1 | Unknown | 0',
  ],
  ['it was evicted', { status: { phase: 'Failed', reason: 'Evicted' } }, '0/1 | Evicted | 0'],
])('shows READY, STATUS and RESTARTS when %s', (_what, given, expected) => {
  expect(shown(given)).toBe(expected);
});

it('shows address, node and gates, or that there are none', () => {
  const wide = (given: Case) => podCells(pod(given), NOW).slice(4);
  expect(wide({ status: {} })).toEqual(['10m', '<none>', '<none>', '<none>', '<none>']);
  expect(
    wide({
      spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'x' }, { conditionType: 'y' }] },
      status: { podIPs: [{ ip: '10.0.0.1' }], nominatedNodeName: 'n2', conditions: [{ type: 'x', status: 'True' }] },
    }),
  ).toEqual(['10m', '10.0.0.1', 'n1', 'n2', '1/2']);
});

it('marks the row of a pod that is done', () => {
  expect(podRowConditions(pod({ status: { phase: 'Running' } }))).toBeUndefined();
  expect(podRowConditions(pod({ status: { phase: 'Succeeded' } }))).toMatchObject([
    { type: 'Completed', reason: 'Succeeded' },
  ]);
});
