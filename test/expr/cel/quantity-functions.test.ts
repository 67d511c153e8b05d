import { expect, it } from 'vitest';
import { valueFrom } from '../../support/cel.ts';

it.each([
  ['quantity("1.5Gi").add(quantity("512Mi"))', '2Gi'],
  ['quantity("500m").sub(quantity("1"))', '-500m'],
  ['quantity("2k").asInteger()', 2000],
  ['quantity("500m").isInteger()', false],
  ['quantity("500m").asApproximateFloat()', 0.5],
  ['quantity("-1").sign()', -1],
  ['isQuantity("1.3Gb")', false],
  ['isQuantity("1.3G")', true],
  ['quantity("1Gi") > quantity("1G") && quantity("1000m") == quantity("1") && quantity("1") != quantity("2")', true],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});
