import { describe, expect, it } from 'vitest';
import { proxyFromEnvironment } from '../../../src/client/http/proxy-environment.ts';

describe('proxyFromEnvironment', () => {
  const env = {
    HTTPS_PROXY: 'http://p:3128',
    http_proxy: 'q:80',
    NO_PROXY: 'exact.com, .sub.com,10.0.0.0/8,1.2.3.4,ported.com:8443,[fd00::1]',
  };
  it.each([
    ['https://cluster:6443', 'http://p:3128'],
    ['http://cluster', 'http://q:80'],
    ['https://localhost:6443', undefined],
    ['https://127.0.0.1:6443', undefined],
    ['https://exact.com', undefined],
    ['https://a.exact.com', undefined],
    ['https://notexact.com', 'http://p:3128'],
    ['https://a.sub.com', undefined],
    ['https://sub.com', 'http://p:3128'],
    ['https://10.1.2.3:6443', undefined],
    ['https://11.1.2.3:6443', 'http://p:3128'],
    ['https://1.2.3.4', undefined],
    ['https://ported.com:8443', undefined],
    ['https://ported.com', 'http://p:3128'],
    ['https://[fd00::1]:6443', undefined],
  ])('the proxy of %s is %s', (server, proxy) => {
    expect(proxyFromEnvironment(server, env)).toBe(proxy);
  });

  it('gives no proxy at all with NO_PROXY=*', () => {
    expect(proxyFromEnvironment('https://x', { ...env, NO_PROXY: '*' })).toBeUndefined();
  });

  it('prefers the name in upper case', () => {
    expect(proxyFromEnvironment('https://x', { https_proxy: 'http://lower', HTTPS_PROXY: 'http://upper' })).toBe(
      'http://upper',
    );
  });

  it('uses each variable for its own scheme', () => {
    expect(proxyFromEnvironment('http://x', { HTTPS_PROXY: 'http://p' })).toBeUndefined();
    expect(proxyFromEnvironment('https://x', { HTTP_PROXY: 'http://p' })).toBeUndefined();
  });
});
