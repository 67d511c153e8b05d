import { describe, expect, it } from 'vitest';
import { type ClusterAndUser, clusterIdentity } from '../../../src/client/config/same-cluster-and-user.ts';

const BASE: ClusterAndUser = {
  server: 'https://10.0.0.1:6443',
  proxyUrl: undefined,
  cluster: { 'certificate-authority-data': 'QQ==' },
  userName: 'ann',
  user: { token: 'hunter2' },
  env: {},
};
const PLUGIN = { exec: { command: 'aws', args: ['get-token'] } };

describe('the identity of a cluster and a user', () => {
  it('is the same for the same, and holds no credential', () => {
    expect(clusterIdentity(structuredClone(BASE))).toBe(clusterIdentity(BASE));
    expect(clusterIdentity(BASE)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, Partial<ClusterAndUser>]>([
    ['server', { server: 'https://10.0.0.2:6443' }],
    ['CA', { cluster: { 'certificate-authority-data': 'Qg==' } }],
    ['TLS name', { cluster: { ...BASE.cluster, 'tls-server-name': 'x' } }],
    ['unchecked certificate', { cluster: { ...BASE.cluster, 'insecure-skip-tls-verify': true } }],
    ['proxy', { proxyUrl: 'http://proxy' }],
    ['name of the user', { userName: 'bob' }],
    ['token', { user: { token: 'other' } }],
    ['login method', { user: { 'client-certificate': '/cert' } }],
    ['impersonated user', { user: { ...BASE.user, as: 'bob' } }],
    ['impersonated group', { user: { ...BASE.user, as: 'bob', 'as-groups': ['x'] } }],
    ['plugin', { user: PLUGIN }],
    ['arguments of a plugin', { user: { exec: { ...PLUGIN.exec, args: ['--profile', 'b'] } } }],
    ['account that a plugin takes from the environment', { user: PLUGIN, env: { AWS_PROFILE: 'b' } }],
  ])('is another with another %s', (_, other) => {
    const all = [BASE, { ...BASE, user: PLUGIN }, { ...BASE, ...other }].map(clusterIdentity);
    expect(new Set(all).size).toBe('user' in other && other.user === PLUGIN && !other.env ? 2 : 3);
  });

  it.each(['HOME', 'PATH', 'AAD_SERVICE_PRINCIPAL_CLIENT_ID', 'WHO'])(
    'is another with another %s where a plugin logs in, and the same where none does',
    (name) => {
      const hash = (value: string, user: ClusterAndUser['user']) =>
        clusterIdentity({ ...BASE, user, env: { [name]: value } });
      expect(hash('/a', PLUGIN)).not.toBe(hash('/b', PLUGIN));
      expect(hash('/a', BASE.user)).toBe(hash('/b', BASE.user));
    },
  );

  it('is the same in another terminal and folder, with a plugin too', () => {
    const hash = (env: ClusterAndUser['env']) => clusterIdentity({ ...BASE, user: PLUGIN, env });
    expect(hash({ TERM: 'xterm', PWD: '/a', SHLVL: '1' })).toBe(hash({ TERM: 'screen', PWD: '/b', TMUX: 'x' }));
  });

  it('does not change with what is renewed: tokens in files and of providers, and passwords', () => {
    const provider = (token: string) => ({
      'auth-provider': { name: 'oidc', config: { 'client-id': 'x', 'id-token': token } },
    });
    const hash = (user: ClusterAndUser['user']) => clusterIdentity({ ...BASE, user });
    expect(hash(provider('a'))).toBe(hash(provider('b')));
    expect(hash({ tokenFile: '/token', token: 'a' })).toBe(hash({ tokenFile: '/token', token: 'b' }));
    expect(hash({ username: 'ann', password: 'a' })).toBe(hash({ username: 'ann', password: 'b' }));
  });
});
