import { expect, it } from 'vitest';
import { deepFreeze } from '../../src/informer/deep-freeze.ts';

it('makes a write to any part throw, and returns the value itself', () => {
  const pod = { metadata: { name: 'a', labels: { app: 'web' } }, spec: { containers: [{ name: 'c' }] } };
  expect(deepFreeze(pod)).toBe(pod);
  expect(() => Object.assign(pod.metadata.labels, { app: 'db' })).toThrow(TypeError);
  expect(() => pod.spec.containers.push({ name: 'd' })).toThrow(TypeError);
  expect(() => Object.assign(pod.spec.containers[0] as object, { name: 'd' })).toThrow(TypeError);
});

it('handles cycles, any depth, and values that are no objects', () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  expect(Object.isFrozen(deepFreeze(ring))).toBe(true);
  const deepest = { isDeepest: true };
  let deep: object = deepest;
  for (let i = 0; i < 100_000; i++) deep = { deep };
  deepFreeze(deep);
  expect(Object.isFrozen(deepest)).toBe(true);
  expect([deepFreeze(null), deepFreeze(7), deepFreeze('a'), deepFreeze([null])]).toEqual([null, 7, 'a', [null]]);
  expect(Object.isFrozen(deepFreeze({ run() {} }).run)).toBe(false);
});
