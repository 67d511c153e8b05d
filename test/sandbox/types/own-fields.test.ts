import { expect, it } from 'vitest';
import { own, setOwn } from '../../../src/sandbox/types/own-fields.ts';

it('reads only fields that an object has itself', () => {
  const fields: Readonly<Record<string, unknown>> = JSON.parse('{"a":1,"__proto__":2}');
  expect([own(fields, 'a'), own(fields, '__proto__'), own(fields, 'constructor'), own(undefined, 'a')]).toEqual([
    1,
    2,
    undefined,
    undefined,
  ]);
});

it('sets every field, and never the prototype', () => {
  const fields: Record<string, unknown> = {};
  setOwn(fields, 'a', 1);
  setOwn(fields, '__proto__', { polluted: true });
  expect(JSON.stringify(fields)).toBe('{"a":1,"__proto__":{"polluted":true}}');
  expect(fields.polluted).toBeUndefined();
});
