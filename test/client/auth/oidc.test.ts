import { describe, expect, it } from 'vitest';
import { jwtExpiry, refreshOidcTokens } from '../../../src/client/auth/oidc.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { socketScript } from '../../support/socket-script.ts';

const jwt = (claims: unknown) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;

describe('jwtExpiry', () => {
  it.each<[string, string, number | undefined]>([
    ['a token with an expiry', jwt({ exp: 1_767_225_600 }), 1_767_225_600_000],
    ['a header value', `Bearer ${jwt({ exp: 1 })}`, 1000],
    ['a token without one', jwt({ sub: 'me' }), undefined],
    ['an expiry that is not a number', jwt({ exp: '1' }), undefined],
    ['a text', 'opaque', undefined],
    ['claims that are null', jwt(null), undefined],
    ['claims that are not JSON', 'x.!!!.y', undefined],
  ])('of %s', (_, token, expiry) => {
    expect(jwtExpiry(token)).toBe(expiry);
  });
});

describe('refreshOidcTokens', () => {
  const options = { clock: new FakeClock(), env: {} };
  const settings = (issuer: string) => ({ 'idp-issuer-url': issuer, 'client-id': 'c', 'refresh-token': 'old' });

  /** A provider with this metadata and this answer to a refresh. */
  const provider = (answer: string, metadata?: string) =>
    socketScript((request, response) => {
      const url = `http://${request.headers.host}`;
      if (request.method === 'GET') response.end(metadata ?? JSON.stringify({ token_endpoint: `${url}/token?x=1` }));
      else response.end(answer);
    });

  it('asks for the metadata, then sends one form to the endpoint', async () => {
    await using idp = await provider(JSON.stringify({ id_token: 'new', refresh_token: 'next' }));
    expect(await refreshOidcTokens(settings(`${idp.url}/`), options)).toEqual({
      'id-token': 'new',
      'refresh-token': 'next',
    });
    expect(idp.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /.well-known/openid-configuration',
      'POST /token?x=1',
    ]);
    expect(idp.seen[1]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('keeps the refresh token if the provider gives no new one', async () => {
    await using idp = await provider(JSON.stringify({ id_token: 'new' }));
    expect(await refreshOidcTokens(settings(idp.url), options)).toEqual({ 'id-token': 'new', 'refresh-token': 'old' });
  });

  it.each([
    ['an answer that is not JSON', 'hush', undefined, /token\?x=1 did not answer with JSON$/],
    ['metadata without an endpoint', '', '{}', /doesn't contain a token_endpoint$/],
    ['metadata that is a page', '', '<html>hush</html>', /openid-configuration did not answer with JSON$/],
  ])('rejects for %s, without quoting it', async (_, answer, metadata, message) => {
    await using idp = await provider(answer, metadata);
    const error = await refreshOidcTokens(settings(idp.url), options).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: 'credentials',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/log in/),
    });
    expect(`${(error as Error).stack} ${(error as Error).cause}`).not.toContain('hush');
  });

  it('rejects with the reason of the signal', async () => {
    await using idp = await provider('{}');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(refreshOidcTokens(settings(idp.url), { ...options, signal })).rejects.toThrow('enough');
    expect(idp.seen).toHaveLength(0);
  });
});
