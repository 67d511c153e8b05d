import { expect, test } from 'vitest';
import { columnOf, groupOrderOf, measuresOf } from '../../../src/query/answer/measure-flags.ts';

const columns = async (flags: Parameters<typeof measuresOf>[0]) =>
  (await measuresOf(flags, () => {})).map((measure) => [columnOf(measure), measure.expression.text]);

test('a measure is named by its user, or by the last field of its expression', async () => {
  expect(
    await columns({
      sum: ['.spec.containers[*].resources.requests.cpu', 'all=object.spec.replicas'],
      max: [".metadata.annotations['example.com/size']", '.status.containerStatuses[0].restartCount'],
    }),
  ).toEqual([
    ['sum(cpu)', '.spec.containers[*].resources.requests.cpu'],
    ['sum(all)', 'object.spec.replicas'],
    ['max(size)', ".metadata.annotations['example.com/size']"],
    ['max(restartCount)', '.status.containerStatuses[0].restartCount'],
  ]);
});

test('an expression that compares has no name in front', async () => {
  const [measure] = await measuresOf({ sum: ['object.spec.a == 1 ? 1 : 0'] }, () => {});
  expect(measure?.expression.text).toBe('object.spec.a == 1 ? 1 : 0');
});

test('an order is a column by its verb, its name or both', async () => {
  const measures = await measuresOf({ sum: ['.a.cpu', '.a.memory'], max: ['.a.cpu'] }, () => {});
  expect(groupOrderOf('-count', measures)).toEqual({ by: 'count', isDescending: true });
  expect(groupOrderOf('value', measures)).toEqual({ by: 'value', isDescending: false });
  expect(groupOrderOf('max', measures)).toEqual({ by: 2, isDescending: false });
  expect(groupOrderOf('-memory', measures)).toEqual({ by: 1, isDescending: true });
  expect(groupOrderOf('sum(cpu)', measures)).toEqual({ by: 0, isDescending: false });
  expect(() => groupOrderOf('cpu', measures)).toThrow('"cpu" is more than one column');
  expect(() => groupOrderOf('memroy', measures)).toThrow('"memroy" is no column of the groups');
});
