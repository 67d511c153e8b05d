import { expect, it } from 'vitest';
import { eventName, isSubject, referenceTo } from '../../../src/controller/events/kube-event.ts';

it('the name of an Event is that of its object and the time in hexadecimal nanoseconds', () => {
  expect(eventName('web-1', 1_767_225_600_000_000_001n)).toBe('web-1.18867251edfa0001');
});

it('the name of an Event has 253 characters at most', () => {
  expect(eventName('a'.repeat(250), 255n)).toBe(`${'a'.repeat(250)}.ff`);
  expect(eventName('a'.repeat(251), 255n)).toMatch(/^[0-9a-f]{32}\.ff$/);
});

it.each(['system:node', 'Web', 'a'.repeat(253), 'a..b'])(
  'the name %.20s, which no Event can have, is replaced by a digest',
  (name) => {
    expect(eventName(name, 255n)).toMatch(/^[0-9a-f]{32}\.ff$/);
    expect(eventName(name, 255n)).not.toBe(eventName(`${name}x`, 255n));
  },
);

it('a reference has what the object has, and the field if one is given', () => {
  const metadata = { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata };
  const reference = { apiVersion: 'v1', kind: 'Pod', ...metadata };
  expect(referenceTo(pod)).toEqual(reference);
  expect(referenceTo(pod, 'spec.x')).toEqual({ ...reference, fieldPath: 'spec.x' });
  expect(referenceTo({ ...pod, metadata: { name: 'n1' } })).toEqual({ apiVersion: 'v1', kind: 'Pod', name: 'n1' });
});

it('an object without its type or name cannot have Events', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
  expect(isSubject(pod)).toBe(true);
  for (const part of [{ apiVersion: '' }, { kind: undefined }, { metadata: {} }, { metadata: undefined }])
    expect(isSubject({ ...pod, ...part })).toBe(false);
});
