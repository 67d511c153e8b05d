import { expect, it } from 'vitest';
import { checkIdentity, isAbsent, presentObject } from '../../../src/controller/writes/present-object.ts';
import { failure, StatusError } from '../../../src/model/status.ts';

const absent = new StatusError(failure(404, 'NotFound', 'pods "a" not found', { name: 'a', kind: 'pods' }));
const noType = new StatusError(failure(404, 'NotFound', 'the server could not find the requested resource'));
const reader = (answer: () => Promise<string>, namespace?: string) => ({ namespace, get: answer });
const A = { metadata: { name: 'a' } };

it('an object is read by its name; its absence is undefined, and any other error an error', async () => {
  expect(
    await presentObject(
      reader(async () => 'found'),
      A,
    ),
  ).toBe('found');
  expect(
    await presentObject(
      reader(() => Promise.reject(absent)),
      A,
    ),
  ).toBeUndefined();
  for (const error of [noType, new Error('no')])
    await expect(
      presentObject(
        reader(() => Promise.reject(error)),
        A,
      ),
    ).rejects.toBe(error);
  expect([absent, noType, new Error('no')].map(isAbsent)).toEqual([true, false, false]);
});

it.each([
  ['shop', 'shop'],
  [undefined, 'shop'],
  [undefined, undefined],
  ['', 'shop'],
])('an object in the namespace %j fits a resource of %j', (namespace, of) => {
  expect(checkIdentity({ namespace: of }, { metadata: { name: 'a', namespace } })).toBe('a');
});

it('an object in another namespace, or without a name, is refused before anything is sent', async () => {
  const object = { metadata: { name: 'a', namespace: 'shop' } };
  const never = () => expect.unreachable();
  await expect(presentObject(reader(never, 'other'), object)).rejects.toMatchObject({
    code: 'argument',
    message: 'the object is in the namespace "shop", but the resource is for "other"',
    hint: expect.stringContaining('client.resource'),
  });
  await expect(presentObject(reader(never), object)).rejects.toThrow('but the resource has no namespace');
  await expect(presentObject(reader(never), { kind: 'Pod', metadata: {} })).rejects.toThrow('Pod');
  await expect(presentObject(reader(never), {})).rejects.toThrow('object');
  expect(checkIdentity({}, object)).toBe('a'); // the namespace of the resource is not known
});
