import { expect, it } from 'vitest';
import { authenticate, ownerOf, userNamed } from '../../../src/sandbox/auth/authenticate.ts';
import { ADMIN, TokenKeeper } from '../../../src/sandbox/auth/token-keeper.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const tokens = new TokenKeeper(new FakeClock(), Number.POSITIVE_INFINITY, 'secret');
const vic = tokens.issue(userNamed('vic', undefined), 60_000);

function caller(headers: Record<string, string>, { trusted = false, anonymous = false } = {}) {
  return authenticate(new Map(Object.entries(headers)), tokens, { trusted, anonymous });
}

it.each([
  ['Bearer secret', 'admin'],
  ['bearer secret', 'admin'],
  [`Bearer ${vic}`, 'vic'],
  ['Bearer secre', undefined],
  ['Bearer secrets', undefined],
  ['Basic secret', undefined],
  ['secret', undefined],
  ['', undefined],
])('the credentials %j are those of %s, from wherever they come', (authorization, username) => {
  for (const trusted of [true, false])
    expect(caller({ authorization }, { trusted, anonymous: true })?.sender.username).toBe(username);
});

it.each([
  [{ trusted: true, anonymous: false }, 'admin'],
  [{ trusted: true, anonymous: true }, 'admin'],
  [{ trusted: false, anonymous: true }, 'system:anonymous'],
  [{ trusted: false, anonymous: false }, undefined],
])('a request without credentials, %j, is from %s', (how, username) => {
  expect(caller({}, how)?.user.username).toBe(username);
});

it('a request acts as its sender unless it names another user', () => {
  expect(caller({ authorization: 'Bearer secret' })).toEqual({ sender: ADMIN, user: ADMIN, groups: [] });
  const headers = {
    authorization: 'Bearer secret',
    'impersonate-user': 'kim',
    'impersonate-group': 'a, b',
    'impersonate-uid': '7',
    'impersonate-extra-example.com%2fteam': 'blue, green',
  };
  expect(caller(headers)).toEqual({
    sender: ADMIN,
    user: {
      username: 'kim',
      uid: '7',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { 'example.com/team': ['blue', 'green'] },
    },
    groups: ['a', 'b'],
  });
});

it.each([
  ['kim', undefined, ['system:authenticated']],
  ['kim', ['a', 'system:authenticated'], ['a', 'system:authenticated']],
  ['system:anonymous', undefined, ['system:unauthenticated']],
  [
    'system:serviceaccount:shop:bot',
    undefined,
    ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  ],
  ['system:serviceaccount:shop:bot', ['a'], ['a', 'system:authenticated']],
])('the user %s with the groups %j is in %j', (username, groups, all) => {
  expect(userNamed(username, groups).groups).toEqual(all);
});

it('a token of the administrator is valid for every audience, one of another user only for its own', () => {
  expect([
    ownerOf('secret', tokens, ['vault']),
    ownerOf(vic, tokens)?.username,
    ownerOf(vic, tokens, ['vault']),
  ]).toEqual([ADMIN, 'vic', undefined]);
});

it.each<[rbac: boolean, answers: [status: number, message: string | undefined][]]>([
  [
    true,
    [
      [200, undefined],
      [
        403,
        'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
      ],
    ],
  ],
  [
    false,
    [
      [401, 'Unauthorized'],
      [401, 'Unauthorized'],
    ],
  ],
])(
  'over a socket a request without a token is system:anonymous with `rbac`, and refused without: %s',
  async (rbac, expected) => {
    await using open = await Sandbox.start({ tls: false, rbac });
    const answers = await Promise.all(['/version', '/api/v1/pods'].map((p) => fetch(open.url + p)));
    const shown = await Promise.all(
      answers.map(async (a) => [a.status, ((await a.json()) as { message?: string }).message]),
    );
    expect(shown).toEqual(expected);
  },
);
