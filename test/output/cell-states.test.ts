import { describe, expect, test } from 'vitest';
import { statesOf } from '../../src/output/cell-states.ts';

describe('the state of a cell', () => {
  test.each([
    ['STATUS', 'Running', 'good'],
    ['STATUS', 'Pending', 'waiting'],
    ['STATUS', 'ContainerCreating', 'waiting'],
    ['STATUS', 'Init:0/2', 'waiting'],
    ['STATUS', 'Init:Error', 'bad'],
    ['STATUS', 'Init:CrashLoopBackOff', 'bad'],
    ['STATUS', 'CrashLoopBackOff', 'bad'],
    ['STATUS', 'ImagePullBackOff', 'bad'],
    ['STATUS', 'CreateContainerConfigError', 'bad'],
    ['STATUS', 'ExitCode:2', 'bad'],
    ['STATUS', 'OOMKilled', 'bad'],
    ['STATUS', 'Terminating', 'ending'],
    ['STATUS', 'Completed', 'done'],
    ['STATUS', 'Ready', 'good'],
    ['STATUS', 'NotReady', 'bad'],
    ['STATUS', 'Ready,SchedulingDisabled', 'waiting'],
    ['STATUS', 'NotReady,SchedulingDisabled', 'bad'],
    ['STATUS', 'Bound', 'good'],
    ['STATUS', 'Lost', 'bad'],
    ['STATUS', 'constructor', undefined],
    ['READY', '1/2', 'waiting'],
    ['READY', '2/2', undefined],
    ['READY', '9/10', 'waiting'],
    ['READY', '0/0', undefined],
    ['READY', 'True', 'good'],
    ['READY', 'False', 'waiting'],
    ['COMPLETIONS', '0/1', 'waiting'],
    ['TYPE', 'Warning', 'waiting'],
    ['TYPE', 'ClusterIP', undefined],
  ])('%s %s: %s', (heading, cell, state) => {
    expect(statesOf(heading)?.(cell)).toBe(state);
  });

  test('is not looked for in other columns', () => {
    expect(statesOf('NAME')).toBeUndefined();
  });
});
