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

it('keeps at least the latest 10,000 reads, at most twice as many, and counts the dropped ones', () => {
  const log = new RequestLog();
  const wrong: number[] = [];
  for (let i = 0; i < 45_000; i++) {
    log.add(request(`/${i}`), 200);
    if (log.size > 20_000 || log.size < Math.min(10_000, i + 1) || log.size + log.dropped !== i + 1) wrong.push(i);
  }
  expect(wrong).toEqual([]);
  const paths = [...log].map(({ path }) => path);
  expect(paths.slice(-10_000)).toEqual(Array.from({ length: 10_000 }, (_, i) => `/${35_000 + i}`));
});

it('still knows a write after many reads', () => {
  const log = new RequestLog();
  log.add(request('/a', 'POST'), 201);
  for (let i = 0; i < 30_000; i++) log.add(request('/list'), 200);
  log.add(request('/b', 'patch'), 200);
  expect(log.matching('', { writes: true }).map(({ path }) => path)).toEqual(['/a', '/b']);
  expect([...log].map(({ method }) => method).filter((method) => method !== 'GET')).toEqual(['POST', 'patch']);
  expect([...log][0]?.path).toBe('/a');
});

it('refuses a question whose answer would lack dropped requests, until it is cleared', () => {
  const log = new RequestLog();
  for (let i = 0; i < 20_000; i++) log.add(request('/list'), 200);
  expect(() => log.matching('/pods')).toThrow('no longer has the first 10000 requests');
  expect(log.matching('/pods', { writes: true })).toEqual([]);
  for (let i = 0; i < 100_000; i++) log.add(request('/x', 'PUT'), 200);
  expect(() => log.matching('/pods', { writes: true })).toThrow('no longer has the first 50000 writes');
  log.clear();
  expect([log.matching('/pods'), log.dropped]).toEqual([[], 0]);
});

it('shows reads and writes in the order of their answers', () => {
  const log = new RequestLog();
  const sent = ['GET', 'PUT', 'PUT', 'GET', 'HEAD', 'DELETE'];
  for (const [i, method] of sent.entries()) log.add(request(`/${i}`, method), 200);
  expect([...log].map(({ method }) => method)).toEqual(sent);
  expect(log.matching().map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
});

it('finds every request by a pattern with the flag g', () => {
  const log = new RequestLog();
  for (let i = 0; i < 3; i++) log.add(request('/pods'), 200);
  expect(log.matching(/pods/g)).toHaveLength(3);
});

it('forgets all requests when it is cleared', () => {
  const log = new RequestLog();
  log.add(request('/a'), 200);
  log.clear();
  expect([log.size, [...log]]).toEqual([0, []]);
});
