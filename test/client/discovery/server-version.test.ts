import { expect, it } from 'vitest';
import { isAtLeast } from '../../../src/client/discovery/server-version.ts';

it.each([
  [{ major: '1', minor: '31' }, true],
  [{ major: '1', minor: '31+' }, true],
  [{ major: '1', minor: '30' }, false],
  [{ major: '2', minor: '0' }, true],
  [{ major: '0', minor: '99' }, false],
  [{ major: '', minor: '', gitVersion: 'v1.31.2-gke.100' }, true],
  [{ gitVersion: 'v1.9.0' }, false],
  [{ major: '1', minor: 'x', gitVersion: 'v1.32.0' }, true],
  [{ gitVersion: 'unknown' }, false],
  [{}, false],
])('%j is at least 1.31: %s', (version, expected) => {
  expect(isAtLeast(version, 1, 31)).toBe(expected);
});
