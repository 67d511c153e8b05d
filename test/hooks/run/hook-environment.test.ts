import { describe, expect, it } from 'vitest';
import { hookEnvironment } from '../../../src/hooks/run/hook-environment.ts';

const from = {
  PATH: '/bin',
  HOME: '/home/me',
  LANG: 'C',
  INFORMER_MODE: 'x',
  Path: 'C:\\bin',
  SystemRoot: 'C:\\Windows',
  NPM_TOKEN: 't',
  KUBECONFIG: '/k',
  AWS_PROFILE: 'a',
  https_proxy: 'http://proxy',
  XDG_RUNTIME_DIR: '/run/user/1',
  TZ: undefined,
};
const BASE = { PATH: '/bin', HOME: '/home/me', LANG: 'C', INFORMER_MODE: 'x' };

describe('the environment of a hook', () => {
  it('has only allowed variables, and a KUBECONFIG that leads to no cluster', () => {
    const environment = hookEnvironment({
      from,
      passCredentials: false,
      credentials: { KUBECONFIG: '/sandbox' },
      platform: 'linux',
    });
    expect(environment).toEqual({ ...BASE, KUBECONFIG: '/dev/null' });
  });

  it('with passCredentials has what leads to credentials, and those that are set in addition', () => {
    const given = {
      ...BASE,
      KUBECONFIG: '/k',
      AWS_PROFILE: 'a',
      https_proxy: 'http://proxy',
      XDG_RUNTIME_DIR: '/run/user/1',
    };
    expect(hookEnvironment({ from, passCredentials: true, platform: 'linux' })).toEqual(given);
    const credentials = { KUBECONFIG: '/sandbox' };
    expect(hookEnvironment({ from, passCredentials: true, credentials, platform: 'linux' })).toEqual({
      ...given,
      ...credentials,
    });
  });

  it('has the variables that Windows needs, in any case', () => {
    const environment = hookEnvironment({ from, passCredentials: false, platform: 'win32' });
    expect(environment).toEqual({ ...BASE, Path: 'C:\\bin', SystemRoot: 'C:\\Windows', KUBECONFIG: 'NUL' });
  });
});
