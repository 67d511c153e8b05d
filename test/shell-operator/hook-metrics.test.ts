import { describe, expect, it } from 'vitest';
import { HookMetrics, readMetricOperations } from '../../src/shell-operator/hook-metrics.ts';

function shown(...runs: string[][]): string[] {
  const metrics = new HookMetrics();
  for (const run of runs) metrics.apply(readMetricOperations(run.join('\n')), 'a.sh');
  return metrics.text().trimEnd().split('\n');
}

describe('the metrics of hooks', () => {
  it('are counters, gauges and histograms, with the name of the hook', () => {
    expect(
      shown([
        '{"name":"n","action":"add","value":2,"labels":{"b":"x\\"y"}}{"name":"n","add":1,"labels":{"b":"x\\"y"}}',
        '{"name":"g","set":33}',
        '{"name":"h","action":"observe","value":4,"buckets":[1,5],"labels":{}}',
      ]),
    ).toEqual([
      '# HELP n n',
      '# TYPE n counter',
      'n{b="x\\"y",hook="a.sh"} 3',
      '# HELP g g',
      '# TYPE g gauge',
      'g{hook="a.sh"} 33',
      '# HELP h h',
      '# TYPE h histogram',
      'h_bucket{hook="a.sh",le="1"} 0',
      'h_bucket{hook="a.sh",le="5"} 1',
      'h_bucket{hook="a.sh",le="+Inf"} 1',
      'h_sum{hook="a.sh"} 4',
      'h_count{hook="a.sh"} 1',
    ]);
  });

  it('of a group are replaced as a whole, or expire; others stay', () => {
    const group = (name: string) => `{"group":"g","name":"${name}","set":1}`;
    const lone = '{"name":"n","add":1}';
    expect(shown([group('a'), group('b'), lone], [group('b'), lone]).filter((line) => !line.startsWith('#'))).toEqual([
      'b{hook="a.sh"} 1',
      'n{hook="a.sh"} 2',
    ]);
    expect(
      shown([group('a'), lone], ['{"group":"g","action":"expire"}']).filter((line) => !line.startsWith('#')),
    ).toEqual(['n{hook="a.sh"} 1']);
  });

  it.each([
    ['no JSON', 'METRICS_PATH has no JSON'],
    ['{"name":"n"}', 'operation 1 in METRICS_PATH cannot be used: one of action, set and add is needed'],
    ['{"name":"n","set":1,"add":1}', 'add and set exclude each other'],
    ['{"action":"add","value":1}', 'name is missing'],
    ['{"name":"n","action":"add"}', 'value is missing'],
    ['{"name":"n","action":"observe","value":1}', 'buckets is missing'],
    ['{"name":"n","action":"observe","value":1,"buckets":[1],"group":"g"}', 'observe takes no group'],
    ['{"name":"n","action":"drop"}', 'action must be one of add, set, observe, expire'],
    ['{"action":"expire"}', 'group is missing'],
  ])('are refused: %s', (written, why) => {
    expect(() => readMetricOperations(written)).toThrow(why);
  });

  it('keep their type', () => {
    expect(() => shown(['{"name":"n","set":1}'], ['{"name":"n","add":1}'])).toThrow(
      'the metric n is a gauge, not a counter',
    );
  });
});
