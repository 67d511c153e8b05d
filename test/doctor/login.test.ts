import { generate } from 'selfsigned';
import { describe, expect, it } from 'vitest';
import { type ClusterConfig, Credentials, createConfig } from '../../src/client/config/cluster-config.ts';
import { expiryFound, loginFound } from '../../src/doctor/login.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const HOUR = 3600_000;

const config = (login?: ClusterConfig['login']): ClusterConfig => ({
  ...createConfig({ server: 'https://127.0.0.1:1' }),
  user: 'ann',
  login,
});

/** A token of the form of a JWT, whose signature is not looked at. */
const jwt = (at: number) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return new Credentials({ authorization: `Bearer ${part({})}.${part({ exp: at / 1000 })}.hush` }, {});
};

describe('the kind of login', () => {
  const token = new Credentials({ authorization: 'Bearer hush', 'impersonate-user': 'bob' }, {});
  it.each([
    [{ kind: 'exec', of: 'aws' }, 'login plugin aws'],
    [{ kind: 'provider', of: 'oidc' }, 'auth provider oidc'],
    [{ kind: 'token-file', of: '/t' }, 'token in the file /t'],
    [{ kind: 'password' }, 'name and password'],
    [{ kind: 'token' }, 'token'],
    [{ kind: 'flag' }, 'credentials of flags'],
  ] as const)('%j is named, with the user and whom it acts as, and no value is', (login, text) => {
    const { status, found } = loginFound(config(login), token);
    expect({ status, found }).toEqual({
      status: 'ok',
      found: `${text} of user "ann"; requests are made as "bob" (impersonation)`,
    });
  });

  it('a login plugin is named with the policy that allows it', () => {
    const policy = { kind: 'Allowlist', allowed: ['aws'], file: '/home/ann/.kube/kuberc' } as const;
    const { found } = loginFound(config({ kind: 'exec', of: 'aws' }), token, policy);
    expect(found).toContain('login plugin aws of user "ann" (allowed by /home/ann/.kube/kuberc: Allowlist)');
    expect(loginFound(config({ kind: 'token' }), token, policy).found).not.toContain('allowed by');
  });

  it('none is a warning', () => {
    expect(loginFound(config({ kind: 'none' }), new Credentials({}, {}))).toMatchObject({
      status: 'warning',
      found: 'no credentials of user "ann": the server takes this for system:anonymous',
      fix: expect.stringContaining('log in'),
    });
  });
});

describe('the expiry of the credentials', () => {
  const found = (credentials: Credentials, login?: ClusterConfig['login']) =>
    expiryFound(config(login), credentials, NOW);

  it('is a problem when it is over, with how long ago', () => {
    expect(found(jwt(NOW - 2 * HOUR))).toMatchObject({
      status: 'problem',
      found: 'the token expired at 2026-11-23T10:00:00Z, 120m ago',
      fix: 'log in again with the tool that wrote the kubeconfig',
    });
  });

  it('is a warning shortly before, unless a plugin renews it', () => {
    const soon = jwt(NOW + 5 * 60_000);
    expect(found(soon)).toMatchObject({ status: 'warning', found: expect.stringContaining('in 5m') });
    expect(found(soon, { kind: 'exec', of: 'aws' })).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('renewed by itself'),
    });
  });

  it('is fine long before, and where nothing says it', () => {
    expect(found(jwt(NOW + 24 * HOUR))).toMatchObject({ status: 'ok', found: expect.stringContaining('in 24h') });
    expect(found(new Credentials({ authorization: 'Bearer hush' }, {}))).toEqual({
      status: 'ok',
      found: 'they do not say when they expire; the server decides',
    });
  });

  it.each([
    [-1, 'problem', 'the client certificate expired at 2026-11-22T12:00:00Z, 24h ago'],
    [3, 'warning', 'the client certificate expires at 2026-11-26T12:00:00Z, in 3d'],
    [90, 'ok', 'the client certificate expires at 2027-02-21T12:00:00Z, in 90d'],
  ])('of a certificate with %i days left is: %s', async (days, status, text) => {
    const { cert } = await generate([{ name: 'commonName', value: 'ann' }], {
      keyType: 'ec',
      notBeforeDate: new Date(NOW - 365 * 24 * HOUR),
      notAfterDate: new Date(NOW + days * 24 * HOUR),
    });
    const result = found(new Credentials({}, { cert, key: 'hush' }), { kind: 'certificate' });
    expect(result).toMatchObject({ status, found: text });
    if (status !== 'ok') expect(result.fix).toContain('certificate');
  });

  it('of two is reported together, and the earlier one decides', () => {
    const both = new Credentials({ authorization: String(jwt(NOW + 24 * HOUR).headers.authorization) }, {}, NOW - HOUR);
    expect(found(both)).toMatchObject({
      status: 'problem',
      found: 'the login expired at 2026-11-23T11:00:00Z, 60m ago; the token expires at 2026-11-24T12:00:00Z, in 24h',
    });
  });

  it('is that which a login plugin gave', () => {
    const plugin = new Credentials({ authorization: 'Bearer hush' }, {}, NOW + HOUR);
    expect(found(plugin, { kind: 'exec', of: 'aws' })).toEqual({
      status: 'ok',
      found: 'the login expires at 2026-11-23T13:00:00Z, in 60m; renewed by itself',
    });
  });
});
