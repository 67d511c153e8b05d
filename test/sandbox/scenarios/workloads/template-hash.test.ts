import { expect, it } from 'vitest';
import { templateHash } from '../../../../src/sandbox/scenarios/workloads/template-hash.ts';

it('is the same for equal templates, and different for others', () => {
  const template = (image: string) => ({ spec: { containers: [{ name: 'c', image }] } });
  expect(templateHash(template('a:1'))).toBe(templateHash(template('a:1')));
  const hashes = Array.from({ length: 500 }, (_, i) => templateHash(template(`a:${i}`)));
  expect(new Set(hashes).size).toBe(500);
});

it('has only characters of generated names', () => {
  for (let i = 0; i < 100; i++) expect(templateHash({ i })).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5,10}$/);
});
