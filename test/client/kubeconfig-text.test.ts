import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type LoadConfigOptions, loadConfig } from '../../src/client/kubeconfig.ts';
import { InformerError, isInformerError } from '../../src/kit/error.ts';
import { Sandbox } from '../../src/sandbox/index.ts';

const TOKEN = 'hunter2-token';
const OBJECT = {
  'current-context': 'x',
  clusters: [{ name: 'c', cluster: { server: 'https://one:6443', 'certificate-authority': 'ca.pem' } }],
  users: [{ name: 'u', user: { token: TOKEN, tokenFile: undefined } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
};
const TEXT = JSON.stringify(OBJECT);
const NOWHERE = { env: { HOME: '/nonexistent' }, serviceAccountDir: '/nonexistent' };

async function refusalOf(attempt: () => unknown): Promise<InformerError> {
  const error = await Promise.resolve()
    .then(attempt)
    .then(
      () => expect.unreachable('it was not refused'),
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(InformerError);
  expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  return error as InformerError;
}

describe('a kubeconfig as text or object', () => {
  it('makes a client of a sandbox in one line', async () => {
    await using sandbox = await Sandbox.start({});
    const client = createClient(await loadConfig({ kubeconfigText: sandbox.kubeconfig() }));
    expect((await client.version()).gitVersion).toMatch(/^v1\./);
    await client.close();
  });

  it.each<[string, LoadConfigOptions]>([
    ['text', { kubeconfigText: TEXT }],
    ['object', { kubeconfigObject: OBJECT }],
  ])('as %s is read like a file, with flags applied, and no other place is read', async (_, options) => {
    const env = { KUBECONFIG: '/nonexistent/other', HOME: '/nonexistent' };
    const config = await loadConfig({ ...options, env, context: 'x', insecureSkipTlsVerify: true });
    expect(config).toMatchObject({ server: 'https://one:6443', namespace: 'shop', context: 'x', user: 'u' });
    const { headers } = await config.credentials();
    expect(headers).toEqual({ authorization: `Bearer ${TOKEN}` });
  });

  it('has its paths relative to the working directory', async () => {
    const config = await loadConfig({ kubeconfigObject: OBJECT, ...NOWHERE });
    await expect(config.credentials()).rejects.toThrow(path.resolve('ca.pem'));
  });

  it.each<[string, LoadConfigOptions, 'argument' | 'config', RegExp]>([
    [
      'a text where a path belongs',
      { kubeconfig: `apiVersion: v1\nusers: [{name: u, user: {token: ${TOKEN}}}]` },
      'argument',
      /kubeconfigText/,
    ],
    ['JSON where a path belongs', { kubeconfig: TEXT }, 'argument', /kubeconfigText/],
    ['an object where a path belongs', { kubeconfig: OBJECT as never }, 'argument', /kubeconfigText/],
    ['an object where a text belongs', { kubeconfigText: OBJECT as never }, 'argument', /kubeconfigObject/],
    ['a text where an object belongs', { kubeconfigObject: TEXT as never }, 'argument', /kubeconfigText/],
    [
      'a KubeConfig of client-node',
      { kubeconfigObject: { users: [{ token: TOKEN }], exportConfig: () => TEXT } },
      'argument',
      /exportConfig/,
    ],
    ['two at once', { kubeconfigText: TEXT, kubeconfigObject: OBJECT }, 'argument', /only one of/],
    ['a text that is no YAML', { kubeconfigText: `token: "${TOKEN}\n  x: [` }, 'config', /kubeconfigText.*line \d/],
    ['an alias that is none', { kubeconfigText: `token: *${TOKEN}` }, 'config', /unidentified alias \(line 1/],
    ['a text that says nothing', { kubeconfigText: '' }, 'config', /no cluster in kubeconfigText/],
    ['another document', { kubeconfigText: `kind: Secret\nstringData: {a: ${TOKEN}}` }, 'config', /not a kubeconfig/],
  ])('is refused without being quoted: %s', async (_, options, code, words) => {
    const error = await refusalOf(() => loadConfig({ ...NOWHERE, ...options }));
    expect([error.code, `${error.message} ${error.hint ?? ''}`]).toEqual([code, expect.stringMatching(words)]);
  });

  it.each<[string, unknown]>([
    ['a text', TEXT],
    ['an object', OBJECT],
    ['a promise', loadConfig({ kubeconfigText: TEXT })],
    ['nothing', undefined],
  ])('is no config: createClient refuses %s with a hint, and quotes nothing', async (_, value) => {
    const error = await refusalOf(() => createClient(value as never));
    expect([isInformerError(error, 'argument'), error.hint]).toEqual([
      true,
      expect.stringContaining('await loadConfig'),
    ]);
  });
});

describe('an option of loadConfig that is unknown', () => {
  it.each<[string, unknown, RegExp]>([
    ['a text in place of the options', TEXT, /loadConfig takes an object of options, not string/],
    ['a kubeconfig in place of the options', OBJECT, /loadConfig has no option "current-context"/],
    [
      'a slip in a name',
      { kubeconfigTxt: TEXT },
      /loadConfig has no option "kubeconfigTxt" did you mean kubeconfigText/,
    ],
  ])('is refused, so that no other cluster is chosen instead: %s', async (_, options, words) => {
    const error = await refusalOf(() => loadConfig(options as LoadConfigOptions));
    expect(isInformerError(error, 'argument') && `${error.message} ${error.hint}`).toMatch(words);
  });
});

describe('an address with a password in it', () => {
  it.each(['https://user:hunter2pw@bad host', 'https://user:hunter2/@pw@bad host', 'user:hunter2pw@bad host'])(
    'is not shown when it cannot be read: %s',
    async (server) => {
      expect((await refusalOf(() => loadConfig({ ...NOWHERE, server }))).message).toMatch(/is not a URL$/);
    },
  );

  it.each([
    ['ftp://puser:hunter2pw@proxy:21', /"ftp:\/\/proxy:21" has an unsupported scheme/],
    ['http://puser:hunter2pw@bad host', /is not a URL/],
  ])('is not shown as a proxy either: %s', async (proxyUrl, words) => {
    const cluster = { server: 'https://one:6443', 'proxy-url': proxyUrl };
    const kubeconfigObject = { ...OBJECT, clusters: [{ name: 'c', cluster }] };
    const error = await refusalOf(async () =>
      createClient(await loadConfig({ kubeconfigObject, ...NOWHERE })).version(),
    );
    expect(error.message).toMatch(words);
  });
});
