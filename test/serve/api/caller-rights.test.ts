import { expect, it } from 'vitest';
import { seesMarks } from '../../../src/serve/api/caller-rights.ts';

it('marks are for callers on a port, unless the serve shows Secrets there', () => {
  expect(seesMarks('token', { showsSecrets: false })).toBe(true);
  expect(seesMarks('token', { showsSecrets: true })).toBe(false);
  expect(seesMarks('private', { showsSecrets: false })).toBe(false);
});
