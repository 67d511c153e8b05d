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

it.each([
  ['isQuantity(3) && !isQuantity([])', true],
  ['quantity("1Gi").compareTo(quantity("1024Mi"))', 0],
  ['quantity(2).add(1)', '3'],
  ['quantity("1").isGreaterThan(quantity("900m"))', true],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['quantity(object.metadata.name)', 'quantity() cannot read this text'],
  ['quantity("500m").asInteger()', 'the quantity is not a whole number'],
  ['dyn(1).sign()', 'expected a quantity, got int'],
])('%s fails: %s', (source, message) => {
  expect(() => valueFrom(source)).toThrow(message);
});
