import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kit/random.ts';
import { generatedName, newUid, randomLetters, tidyMetadata } from '../../../src/sandbox/write/identity.ts';

describe('a generated name', () => {
  it('has five random characters after the base, none of them a vowel', () => {
    const random = seededRandom(1);
    const names = Array.from({ length: 200 }, () => generatedName('web-', random));
    for (const name of names) expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(names).size).toBeGreaterThan(195);
  });

  it('has at most 63 characters', () => {
    expect(generatedName('x'.repeat(80), seededRandom(1))).toHaveLength(63);
    expect(randomLetters(3, () => 0)).toBe('bbb');
  });
});

describe('a uid', () => {
  it('is a version 4 UUID, the same for the same seed', () => {
    const uids = Array.from(
      { length: 50 },
      (
        (random) => () =>
          newUid(random)
      )(seededRandom(7)),
    );
    for (const uid of uids)
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uids).size).toBe(50);
    expect(newUid(seededRandom(7))).toBe(uids[0]);
  });
});

it('writes metadata in the order of the server, without empty parts', () => {
  const metadata = {
    finalizers: [],
    labels: { a: 'b' },
    uid: 'u',
    annotations: {},
    generation: 0,
    namespace: '',
    name: 'n',
  };
  expect(JSON.stringify(tidyMetadata(metadata))).toBe('{"name":"n","uid":"u","generation":0,"labels":{"a":"b"}}');
});
