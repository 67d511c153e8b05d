import { expect, it } from 'vitest';
import { userNamed } from '../../../src/sandbox/auth/authenticate.ts';
import { ISSUER, TokenKeeper } from '../../../src/sandbox/auth/token-keeper.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const vic = userNamed('vic', ['crew']);

it('accepts the administrator’s token for its lifetime, then no token that a client can know', async () => {
  const clock = new FakeClock();
  const tokens = new TokenKeeper(clock, 60_000, 'mine');
  await clock.advance(59_999);
  expect([tokens.token, tokens.accepted]).toEqual(['mine', 'mine']);
  await clock.advance(1);
  expect(tokens.token).toBe('mine');
  expect(new Set([tokens.accepted, tokens.accepted, 'mine', '']).size).toBe(4);
});

it('gives each new token of the administrator a whole lifetime, and forgets the one before', async () => {
  const clock = new FakeClock();
  const tokens = new TokenKeeper(clock, 60_000);
  const first = tokens.token;
  tokens.expire();
  expect(tokens.accepted).not.toBe(first);
  await clock.advance(50_000);
  const second = tokens.rotate();
  expect([tokens.token, tokens.accepted]).toEqual([second, second]);
  expect(second).not.toBe(first);
  await clock.advance(59_999);
  expect(tokens.accepted).toBe(second);
});

it('a token without a lifetime does not expire', async () => {
  const clock = new FakeClock();
  const tokens = new TokenKeeper(clock, Number.POSITIVE_INFINITY);
  await clock.advance(10 * 365 * 86_400_000);
  expect(tokens.accepted).toBe(tokens.token);
});

it('issues tokens to users: each for this server, and until it expires', async () => {
  const clock = new FakeClock();
  const tokens = new TokenKeeper(clock, Number.POSITIVE_INFINITY);
  const [short, long] = [tokens.issue(vic, 1_000), tokens.issue(vic, 2_000)];
  expect(short).not.toBe(long);
  expect([
    tokens.issuedTo(short, [ISSUER]),
    tokens.issuedTo(short, ['vault']),
    tokens.issuedTo('nonsense', [ISSUER]),
  ]).toEqual([vic, undefined, undefined]);
  await clock.advance(1_000);
  expect([tokens.issuedTo(short, [ISSUER]), tokens.issuedTo(long, [ISSUER])]).toEqual([undefined, vic]);
});

it('issues a service account a JWT with its claims, which is valid until the account is deleted', () => {
  const clock = new FakeClock();
  const tokens = new TokenKeeper(clock, Number.POSITIVE_INFINITY);
  let exists = true;
  const account = {
    namespace: 'shop',
    name: 'bot',
    uid: 'u1',
    audiences: ['vault'],
    lifetimeMs: 600_000,
    isValid: () => exists,
  };
  const token = tokens.issueAccount(account);
  const [header = '', claims = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  expect(JSON.parse(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
  const now = clock.now() / 1000;
  expect(JSON.parse(claims)).toMatchObject({
    aud: ['vault'],
    iss: ISSUER,
    iat: now,
    exp: now + 600,
    sub: 'system:serviceaccount:shop:bot',
    'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'bot', uid: 'u1' } },
  });
  expect(tokens.issuedTo(token, ['vault'])).toMatchObject({
    username: 'system:serviceaccount:shop:bot',
    uid: 'u1',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  });
  exists = false;
  expect(tokens.issuedTo(token, ['vault'])).toBeUndefined();
  exists = true;
  expect(tokens.issuedTo(token, ['vault'])).toBeUndefined();
});
