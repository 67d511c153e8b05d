import { expect, it } from 'vitest';
import { foreignCaller, wrongToken } from '../../../src/serve/ui/guard.ts';

it.each([['127.0.0.1:8001'], ['localhost:8001'], ['[::1]:8001']])('answers a request to %s', (host) => {
  expect(foreignCaller({ host }, 8001)).toBeUndefined();
  expect(foreignCaller({ host, origin: `http://${host}`, site: 'same-origin' }, 8001)).toBeUndefined();
});

it('knows that browsers leave out the port 80', () => {
  expect(foreignCaller({ host: 'localhost', origin: 'http://localhost' }, 80)).toBeUndefined();
  expect(foreignCaller({ host: 'localhost:8001' }, 80)).toBeDefined();
});

it.each([
  ['a name of the attacker', { host: 'evil.example:8001' }],
  ['loopback on another port', { host: '127.0.0.1:9000' }],
  ['no port', { host: '127.0.0.1' }],
  ['a name that begins like loopback', { host: '127.0.0.1.evil.example:8001' }],
  ['no Host', {}],
  ['another origin', { host: '127.0.0.1:8001', origin: 'http://evil.example' }],
  ['the origin of another port', { host: '127.0.0.1:8001', origin: 'http://127.0.0.1:9000' }],
  ['loopback under another name', { host: '127.0.0.1:8001', origin: 'http://localhost:8001' }],
  ['the origin of a file', { host: '127.0.0.1:8001', origin: 'null' }],
  ['another site', { host: '127.0.0.1:8001', site: 'cross-site' }],
  ['another port of this site', { host: '127.0.0.1:8001', site: 'same-site' }],
])('refuses a request from %s', (_, caller) => {
  expect(foreignCaller(caller, 8001)).toMatchObject({ status: 403, hint: expect.stringContaining('serve --ui') });
});

it.each([
  ['none', undefined],
  ['another one', 'Bearer another'],
  ['a part of it', 'Bearer right-toke'],
  ['an empty one', 'Bearer '],
  ['another scheme', 'Basic right-token'],
])('refuses a token that is %s', (_, authorization) => {
  expect(wrongToken({ authorization }, 'right-token')).toMatchObject({ status: 401 });
});

it('takes the right token', () => {
  expect(wrongToken({ authorization: 'Bearer right-token' }, 'right-token')).toBeUndefined();
});
