import { expect, it } from 'vitest';
import { queryOf } from '../../src/model/list-options.ts';

it('a query string leaves out options that are unset, empty or 0', () => {
  expect(
    queryOf({ watch: true, resourceVersion: '', limit: 0, labelSelector: 'a in (b)', sendInitialEvents: true }),
  ).toBe('watch=true&labelSelector=a+in+%28b%29&sendInitialEvents=true');
  expect(queryOf({ resourceVersion: '0', limit: 500 })).toBe('resourceVersion=0&limit=500');
});
