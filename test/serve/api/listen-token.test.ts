import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ListenToken } from '../../../src/serve/api/listen-token.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'token-'));
  return () => rmSync(folder, { recursive: true, force: true });
});
const file = () => path.join(folder, 'token');
const textOf = (token: ListenToken) => readFileSync(token.file, 'utf8').trim();

describe('a token', () => {
  it('is in a file that its user alone can read, until it is disposed of, and another one each time', () => {
    const texts = [0, 1].map(() => {
      using token = new ListenToken(file());
      expect(token.file).toBe(file());
      if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600);
      expect(readFileSync(file(), 'utf8')).toMatch(/^[\w-]{43}\n$/);
      return textOf(token);
    });
    expect([texts[0] === texts[1], existsSync(file())]).toEqual([false, false]);
  });

  it('may be gone from its file already when it ends', () => {
    using token = new ListenToken(file());
    rmSync(token.file);
  });

  it.skipIf(process.platform === 'win32')('is not written through what is at its place already', () => {
    const elsewhere = path.join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'mine');
    symlinkSync(elsewhere, file());
    using token = new ListenToken(file());
    expect([readFileSync(elsewhere, 'utf8'), textOf(token).length]).toEqual(['mine', 43]);
  });
});

describe('a request over the port', () => {
  const LOOPBACK = { host: '127.0.0.1', port: 8080 };
  const status = (headers: Record<string, string>, plan = LOOPBACK) => {
    using token = new ListenToken(file());
    const authorization = `Bearer ${textOf(token)}`;
    return token.refusal({ headers: { host: '127.0.0.1:8080', authorization, ...headers } }, plan)?.status;
  };

  it('with the token is answered, also one of a page of the serve itself', () => {
    expect(status({})).toBeUndefined();
    expect(status({ origin: 'http://127.0.0.1:8080' })).toBeUndefined();
  });

  it.each(['', 'Bearer ', 'Bearer x', `Bearer ${'x'.repeat(43)}`, 'Basic x'])(
    'with the authorization %j is refused with what to do',
    (authorization) => {
      using token = new ListenToken(file());
      const refused = token.refusal({ headers: { host: 'localhost:8080', authorization } }, LOOPBACK);
      expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
      expect(JSON.parse(refused?.body ?? '')).toMatchObject({
        error: { message: 'the token is missing or wrong', hint: expect.stringContaining('Authorization: Bearer') },
      });
      expect(refused?.headers).toHaveProperty('kubectl-informer-protocol');
    },
  );

  it('without an authorization is refused', () => {
    using token = new ListenToken(file());
    expect(token.refusal({ headers: { host: '127.0.0.1' } }, LOOPBACK)?.status).toBe(401);
  });

  it('of a page of another origin is refused, also with the token', () => {
    expect(status({ origin: 'http://evil.example' })).toBe(403);
    expect(status({ origin: 'https://127.0.0.1:8080' })).toBe(403);
  });

  it.each<[string, { host: string; port: number }, boolean]>([
    ['127.0.0.1:8080', LOOPBACK, true],
    ['127.0.0.1', LOOPBACK, true],
    ['localhost:8080', LOOPBACK, true],
    ['[::1]:8080', LOOPBACK, true],
    ['127.0.0.1:8081', LOOPBACK, false],
    ['rebound.example:8080', LOOPBACK, false],
    ['', LOOPBACK, false],
    [':8080', LOOPBACK, false],
    ['[fd00::1]:80', { host: 'fd00::1', port: 80 }, true],
    ['localhost', { host: '10.0.0.5', port: 80 }, false],
    ['10.0.0.5', { host: '10.0.0.5', port: 80 }, true],
    ['10.0.0.6', { host: '10.0.0.5', port: 80 }, false],
    ['any.example:80', { host: '0.0.0.0', port: 80 }, true],
    ['any.example:80', { host: '::', port: 80 }, true],
    ['any.example:81', { host: '::', port: 80 }, false],
    ['', { host: '0.0.0.0', port: 80 }, false],
  ])('to the host %j of a serve at %j is answered: %j', (host, plan, isOurs) => {
    expect(status({ host }, plan)).toBe(isOurs ? undefined : 403);
  });
});
