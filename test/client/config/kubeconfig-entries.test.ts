import { describe, expect, it } from 'vitest';
import { readCluster, readContext, readUser } from '../../../src/client/config/kubeconfig-entries.ts';

describe('an entry of a kubeconfig', () => {
  it('keeps the fields that have a value, and ignores unknown fields', () => {
    const value = {
      server: 'https://one',
      'proxy-url': '',
      'tls-server-name': null,
      'insecure-skip-tls-verify': false,
      toString: 'x',
      odd: 1,
    };
    expect(readCluster(value, 'cluster "c"')).toEqual({ server: 'https://one', 'insecure-skip-tls-verify': false });
  });

  it.each([undefined, null, {}])('%s is an empty entry', (value) => {
    expect([readCluster(value, 'c'), readUser(value, 'u'), readContext(value, 'x')]).toEqual([{}, {}, {}]);
  });

  it('keeps base64 without its line breaks', () => {
    expect(readUser({ 'client-key-data': 'AAAA\r\nBBB=\n' }, 'u')).toEqual({ 'client-key-data': 'AAAABBB=' });
  });

  it('reads nested fields', () => {
    const exec = { command: 'p', args: ['a'], env: [{ name: 'A', value: 'b', odd: 1 }], provideClusterInfo: true };
    const value = { exec, 'auth-provider': { name: 'oidc', config: { x: 'y' } }, 'as-user-extra': { k: ['v'] } };
    expect(readUser(value, 'u')).toEqual({ ...value, exec: { ...exec, env: [{ name: 'A', value: 'b' }] } });
  });

  it.each<[string, () => unknown, string]>([
    [
      'a number as text',
      () => readContext({ namespace: 7 }, 'context "x"'),
      'context "x": namespace must be a string (quote it)',
    ],
    [
      'a text as boolean',
      () => readCluster({ 'disable-compression': 'yes' }, 'c'),
      'c: disable-compression must be true or false',
    ],
    [
      'other text as base64',
      () => readCluster({ 'certificate-authority-data': '***' }, 'c'),
      'c: certificate-authority-data is not base64',
    ],
    [
      'cut base64',
      () => readCluster({ 'certificate-authority-data': 'AAA' }, 'c'),
      'c: certificate-authority-data is not base64',
    ],
    ['a text as list', () => readUser({ 'as-groups': 'a' }, 'u'), 'u: as-groups must be a list'],
    ['a list as mapping', () => readUser([], 'u'), 'u must be a mapping'],
    [
      'an item of another type',
      () => readUser({ exec: { args: ['a', 1] } }, 'u'),
      'u: exec: args[1] must be a string (quote it)',
    ],
    [
      'a value of another type',
      () => readUser({ 'auth-provider': { config: { x: 1 } } }, 'u'),
      'u: auth-provider: config.x must be a string (quote it)',
    ],
  ])('with %s is refused with its place', (_, read, message) => {
    expect(read).toThrow(expect.objectContaining({ code: 'config', message }));
  });
});
