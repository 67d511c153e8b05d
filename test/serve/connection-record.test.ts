import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSameConnection } from '../../src/serve/about.ts';
import { connectionRecord } from '../../src/serve/connection-record.ts';
import { eventually } from '../../src/testing/eventually.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'record-'));
  file = path.join(folder, 'config');
  await writeFile(file, 'a: kubeconfig');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the record of a connection', () => {
  it('is the same for the same files and flags, however they are named', () => {
    const record = connectionRecord({ kubeconfig: file, context: 'a' }, {});
    expect(record).toBeTypeOf('string');
    expect(connectionRecord({ context: 'a', kubeconfig: path.relative('.', file) }, {})).toBe(record);
    expect(connectionRecord({ context: 'a', user: undefined }, { KUBECONFIG: file })).toBe(record);
  });

  it('is the same in whatever order its flags and its kubeconfigs are written twice', () => {
    const flags = { context: 'a', as: 'bob', 'as-group': ['x'], insecure: true };
    const reversed = Object.fromEntries(Object.entries(flags).reverse());
    const [one, two] = [file, `${file}2`];
    const env = { KUBECONFIG: [one, '', two, one].join(path.delimiter) };
    const record = connectionRecord(flags, { KUBECONFIG: [one, two].join(path.delimiter) });
    expect(connectionRecord(reversed, env)).toBe(record);
    expect(connectionRecord(flags, { KUBECONFIG: [two, one].join(path.delimiter) })).not.toBe(record);
    expect(connectionRecord({ ...flags, kubeconfig: '' }, env)).toBe(record);
  });

  it('without a kubeconfig is that of the home folder also where KUBECONFIG names none', () => {
    const record = connectionRecord({}, { HOME: folder });
    expect(connectionRecord({}, { HOME: folder, KUBECONFIG: path.delimiter })?.replace(/account.*/, '')).toBe(
      record?.replace(/account.*/, ''),
    );
  });

  it.each(['certificate-authority', 'client-certificate', 'client-key'])(
    'has the whole path of the file that --%s names',
    (name) => {
      const record = connectionRecord({ kubeconfig: file, [name]: path.relative('.', file) }, {});
      expect(record).toBe(connectionRecord({ kubeconfig: file, [name]: file }, {}));
    },
  );

  it.each([
    'KUBERNETES_SERVICE_HOST',
    'KUBERNETES_SERVICE_PORT',
    'HTTPS_PROXY',
    'https_proxy',
    'HTTP_PROXY',
    'http_proxy',
    'NO_PROXY',
    'no_proxy',
  ])('is another with another %s, also for a login that runs no plugin', (name) => {
    const [one, other] = ['a', 'b'].map((value) => connectionRecord({ kubeconfig: file }, { [name]: value }));
    expect(isSameConnection(one, other, true)).toBe(false);
  });

  it('is another with other flags, another file, or another account of a cloud', () => {
    const record = connectionRecord({ kubeconfig: file }, {});
    const others = [
      connectionRecord({ kubeconfig: file, context: 'a' }, {}),
      connectionRecord({ kubeconfig: file, as: 'bob' }, {}),
      connectionRecord({ kubeconfig: file, 'as-group': ['x'] }, {}),
      connectionRecord({ kubeconfig: `${file}2` }, {}),
      connectionRecord({ kubeconfig: file }, { AWS_PROFILE: 'prod' }),
      connectionRecord({ kubeconfig: file }, { HTTPS_PROXY: 'http://proxy' }),
    ];
    expect(new Set([record, ...others]).size).toBe(7);
  });

  it('without a kubeconfig is about the file in the home folder, which two variables may name', async () => {
    const homes = ['one', 'two'].map((name) => path.join(folder, name)) as [string, string];
    for (const home of homes) {
      await mkdir(path.join(home, '.kube'), { recursive: true });
      await writeFile(path.join(home, '.kube', 'config'), `a: ${home}`);
    }
    const files = (env: object) => connectionRecord({}, env as never)?.match(/[^"]*\.kube[^"]*config/g);
    const [one, two] = homes.map((home) => path.join(home, '.kube', 'config'));
    expect(files({ HOME: homes[0] })).toEqual([one]);
    expect(files({ USERPROFILE: homes[1] })).toEqual([two]);
    expect(files({ HOME: homes[0], USERPROFILE: homes[1] })).toEqual([one]);
    expect(files({ HOME: '', USERPROFILE: homes[1] })).toEqual([two]);
  });

  it('is another when the file was written again, even with the same size', async () => {
    const record = connectionRecord({ kubeconfig: file }, {});
    await utimes(file, 1, 1);
    expect(connectionRecord({ kubeconfig: file }, {})).not.toBe(record);
  });

  it('is another when the file was written again in place, with the same size and an old time', async () => {
    await utimes(file, 1, 1);
    const record = connectionRecord({ kubeconfig: file }, {});
    await eventually(async () => {
      await writeFile(file, 'b: kubeconfig');
      await utimes(file, 1, 1);
      return connectionRecord({ kubeconfig: file }, {}) !== record;
    });
  });

  it.each(['HOME', 'PATH', 'AAD_LOGIN_METHOD', 'WHO'])(
    'is another with another %s, by which a plugin may log in',
    (name) => {
      const record = connectionRecord({ kubeconfig: file }, { [name]: '/a' });
      expect(connectionRecord({ kubeconfig: file }, { [name]: '/b' })).not.toBe(record);
      expect(record).not.toContain('/a"');
    },
  );

  it('is the same in another terminal and folder', () => {
    const record = connectionRecord({ kubeconfig: file }, { TERM: 'xterm', PWD: '/a', SHLVL: '1' });
    expect(connectionRecord({ kubeconfig: file }, { TERM: 'screen', PWD: '/b', TMUX: 'x' })).toBe(record);
  });

  it('leads to the same serve with other variables only where its login runs no plugin', () => {
    const [one, other] = ['/a', '/b'].map((HOME) => connectionRecord({ kubeconfig: file }, { HOME }));
    const elsewhere = connectionRecord({ kubeconfig: `${file}2` }, { HOME: '/a' });
    expect(isSameConnection(one, one)).toBe(true);
    expect(isSameConnection(one, other)).toBe(false);
    expect(isSameConnection(one, other, true)).toBe(true);
    expect(isSameConnection(one, elsewhere, true)).toBe(false);
    const unasked = connectionRecord({ kubeconfig: file }, { HOME: '/b' }, { account: false });
    expect([isSameConnection(one, unasked), isSameConnection(one, unasked, true)]).toEqual([false, true]);
    expect(isSameConnection(elsewhere, unasked, true)).toBe(false);
    expect(isSameConnection(undefined, undefined, true)).toBe(false);
  });

  it('does not exist, and so quotes nothing, if a flag is a secret', () => {
    expect(connectionRecord({ token: 'hunter2' }, {})).toBeUndefined();
    expect(connectionRecord({ username: 'ann' }, {})).toBeUndefined();
    expect(connectionRecord({ password: 'hunter2' }, {})).toBeUndefined();
  });
});
