import { expect, it } from 'vitest';
import { RequestLog } from '../../../src/sandbox/server/request-log.ts';

const request = (path: string, method = 'GET') => ({ method, path, headers: { authorization: 'Bearer secret' } });

it('keeps method, path and status of each request in order, and no headers', () => {
  const log = new RequestLog();
  log.add(request('/a?watch=1'), 200);
  log.add(request('/b', 'POST'), 403);
  expect([...log]).toEqual([
    { method: 'GET', path: '/a?watch=1', status: 200 },
    { method: 'POST', path: '/b', status: 403 },
  ]);
});

it('finds requests by a part of the path or by a pattern', () => {
  const log = new RequestLog();
  for (const path of ['/pods', '/pods?watch=1', '/nodes']) log.add(request(path), 200);
  const paths = (by?: string | RegExp) => log.matching(by).map(({ path }) => path);
  expect(paths()).toEqual(['/pods', '/pods?watch=1', '/nodes']);
  expect(paths('pods')).toEqual(['/pods', '/pods?watch=1']);
  expect(paths('?watch')).toEqual(['/pods?watch=1']);
  expect(paths(/s$/)).toEqual(['/pods', '/nodes']);
});

it('keeps at least the latest 10,000 requests, and at most twice as many', () => {
  const log = new RequestLog();
  const wrong: number[] = [];
  for (let i = 0; i < 45_000; i++) {
    log.add(request(`/${i}`), 200);
    if (log.size > 20_000 || log.size < Math.min(10_000, i + 1)) wrong.push(log.size);
  }
  expect(wrong).toEqual([]);
  const paths = [...log].map(({ path }) => path);
  expect(paths.slice(-10_000)).toEqual(Array.from({ length: 10_000 }, (_, i) => `/${35_000 + i}`));
});

it('forgets all requests when it is cleared', () => {
  const log = new RequestLog();
  log.add(request('/a'), 200);
  log.clear();
  expect([log.size, [...log]]).toEqual([0, []]);
});
