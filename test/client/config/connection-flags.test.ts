import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ConnectionFlags,
  requestTimeoutMsOf,
  withClusterFlags,
  withUserFlags,
} from '../../../src/client/config/connection-flags.ts';
import type { ClusterEntry, UserEntry } from '../../../src/client/config/kubeconfig-entries.ts';

describe('withClusterFlags', () => {
  const cluster: ClusterEntry = {
    server: 'https://one',
    'certificate-authority-data': 'AAAA',
    'tls-server-name': 'one.test',
  };

  it.each<[string, ConnectionFlags, ClusterEntry]>([
    ['no flag', {}, cluster],
    [
      'a server removes the TLS name of the other server',
      { server: 'https://two' },
      { server: 'https://two', 'certificate-authority-data': 'AAAA' },
    ],
    [
      'a server and a TLS name',
      { server: 'https://two', tlsServerName: 'two.test' },
      { ...cluster, server: 'https://two', 'tls-server-name': 'two.test' },
    ],
    [
      'a CA replaces the data',
      { certificateAuthority: '/ca' },
      { server: 'https://one', 'certificate-authority': '/ca', 'tls-server-name': 'one.test' },
    ],
    [
      'no verification removes the CA',
      { insecureSkipTlsVerify: true },
      { server: 'https://one', 'insecure-skip-tls-verify': true, 'tls-server-name': 'one.test' },
    ],
    [
      'explicit verification keeps the CA',
      { insecureSkipTlsVerify: false },
      { ...cluster, 'insecure-skip-tls-verify': false },
    ],
  ])('%s', (_, flags, expected) => {
    expect(withClusterFlags(cluster, flags)).toEqual(expected);
  });

  it('resolves a relative CA against the working directory, and turns verification on', () => {
    const careless = { server: 'https://one', 'insecure-skip-tls-verify': true };
    expect(withClusterFlags(careless, { certificateAuthority: 'ca.pem' })).toEqual({
      server: 'https://one',
      'certificate-authority': path.resolve('ca.pem'),
    });
  });

  it('refuses a cluster that has a CA and no verification', () => {
    const both = { ...cluster, 'insecure-skip-tls-verify': true };
    expect(() => withClusterFlags(both, {})).toThrow(
      'specifying a root certificates file with the insecure flag is not allowed',
    );
  });

  it('does not change the entry of the kubeconfig', () => {
    const before = structuredClone(cluster);
    withClusterFlags(cluster, { server: 'x', certificateAuthority: 'y' });
    expect(cluster).toEqual(before);
  });
});

describe('withUserFlags', () => {
  const user: UserEntry = {
    token: 't',
    exec: { command: 'p' },
    'client-certificate-data': 'AAAA',
    'client-key-data': 'BBBB',
  };
  const certificate = { 'client-certificate-data': 'AAAA', 'client-key-data': 'BBBB' };

  it.each<[string, ConnectionFlags, UserEntry]>([
    ['no flag', {}, user],
    ['a token replaces every other login but the certificate', { token: ' flag\n' }, { ...certificate, token: 'flag' }],
    ['a name and password too', { username: 'me', password: 'pw' }, { ...certificate, username: 'me', password: 'pw' }],
    [
      'files replace the data',
      { clientCertificate: '/cert', clientKey: '/key' },
      { token: 't', exec: { command: 'p' }, 'client-certificate': '/cert', 'client-key': '/key' },
    ],
    [
      'impersonation',
      { as: 'bob', asUid: 'u', asGroup: ['a', 'b'], asUserExtra: ['k=v', 'k=w=x', 'l='] },
      { ...user, as: 'bob', 'as-uid': 'u', 'as-groups': ['a', 'b'], 'as-user-extra': { k: ['v', 'w=x'], l: [''] } },
    ],
    ['empty lists', { asGroup: [], asUserExtra: [] }, user],
  ])('%s', (_, flags, expected) => {
    expect(withUserFlags(user, flags)).toEqual(expected);
  });

  it.each<[ConnectionFlags, string]>([
    [{ token: 't', username: 'u' }, 'username/password or bearer token may be set, but not both'],
    [{ token: 't', password: 'p' }, 'username/password or bearer token may be set, but not both'],
    [{ asUserExtra: ['novalue'] }, 'the extra field "novalue" is not of the form key=value'],
    [{ asUserExtra: ['=v'] }, 'the extra field "=v" is not of the form key=value'],
  ])('refuses %j', (flags, message) => {
    expect(() => withUserFlags({}, flags)).toThrow(expect.objectContaining({ code: 'argument', message }));
  });
});

describe('requestTimeoutMsOf', () => {
  it.each<[string | number | undefined, number | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['0', undefined],
    [0, undefined],
    ['5', 5000],
    [5, 5],
    ['1.5s', 1500],
    ['2m', 120_000],
  ])('%j is %s ms', (value, ms) => {
    expect(requestTimeoutMsOf(value)).toBe(ms);
  });

  it('refuses another text in the words of kubectl, and names the flag in the hint', () => {
    expect(() => requestTimeoutMsOf('soon')).toThrow(
      expect.objectContaining({
        code: 'argument',
        message: expect.stringContaining('Invalid timeout value.'),
        hint: '`requestTimeout` was "soon"',
      }),
    );
  });
});
