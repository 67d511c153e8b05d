import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kubeconfig, readKubeconfig } from '../../../src/client/config/kubeconfig-file.ts';
import { FIRST, SECOND } from '../../support/kubeconfig-texts.ts';
import { findKubectl, runKubectl } from '../../support/kubectl.ts';

const kubectl = findKubectl();
const reason = 'missing' in kubectl ? ` (${kubectl.missing})` : '';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'merge-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Files by name. KUBECONFIG has the files that are not certificates, in this order, unless `list` replaces them. */
interface Row {
  title: string;
  files: Record<string, string>;
  /** The files in KUBECONFIG, instead of all. */
  list?: string[];
}

const CLUSTER = 'clusters: [{name: c, cluster: {server: "https://one:6443"}}]';
const user = (fields: string) => `users: [{name: u, user: ${fields}}]`;
const cluster = (fields: string) => `clusters: [{name: c, cluster: ${fields}}]`;
const context = (fields: string) => `contexts: [{name: x, context: ${fields}}]\ncurrent-context: x`;
const exec = (fields: string) =>
  user(`{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, ${fields}}}`);
const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const DATA = Buffer.from(PEM).toString('base64');

const LEGAL: Row[] = [
  {
    title: 'one file',
    files: { a: [CLUSTER, user('{token: t}'), context('{cluster: c, user: u, namespace: team}')].join('\n') },
  },
  {
    title: 'the same names in two files',
    files: {
      a: [cluster('{server: "https://a"}'), user('{token: a}'), context('{cluster: c, user: u}')].join('\n'),
      b: [
        cluster('{server: "https://b", tls-server-name: b}'),
        user('{token: b, as: b}'),
        context('{cluster: c, namespace: b}'),
      ].join('\n'),
    },
  },
  { title: 'an empty entry before a full one of the same name', files: { a: cluster('{}'), b: CLUSTER } },
  {
    title: 'different names in three files',
    files: { a: CLUSTER, b: user('{token: t}'), c: context('{cluster: c, user: u}') },
  },
  { title: 'a file that is missing', files: { b: CLUSTER }, list: ['gone', 'b'] },
  { title: 'nothing but missing files', files: {}, list: ['gone', 'too'] },
  { title: 'an empty file', files: { a: '', b: CLUSTER } },
  { title: 'a file of comments', files: { a: '# nothing here\n', b: CLUSTER } },
  { title: 'a file named twice', files: { a: CLUSTER }, list: ['a', 'a'] },
  { title: 'empty names in the list', files: { a: CLUSTER }, list: ['', 'a', ''] },
  { title: 'current contexts in two files', files: { a: 'current-context: one', b: 'current-context: two' } },
  {
    title: 'an empty current context before one that is not',
    files: { a: 'current-context: ""', b: 'current-context: two' },
  },
  { title: 'a current context that does not exist', files: { a: `${CLUSTER}\ncurrent-context: none` } },
  { title: 'a context without a user', files: { a: context('{cluster: c}') } },
  { title: 'a context of nothing', files: { a: 'contexts: [{name: x}]' } },
  { title: 'a context without a name', files: { a: 'contexts: [{context: {cluster: c}}]' } },
  { title: 'null lists', files: { a: 'clusters: null\nusers:\ncontexts: ~' } },
  { title: 'null entries', files: { a: 'clusters: [{name: c, cluster: null}]\nusers: [{name: u, user: }]' } },
  {
    title: 'null fields',
    files: {
      a: [cluster('{server: null, extensions: null}'), user('{token: ~, as-groups: null, exec: null}')].join('\n'),
    },
  },
  {
    title: 'empty fields',
    files: { a: [cluster('{server: "", proxy-url: ""}'), user('{token: "", as-groups: []}')].join('\n') },
  },
  {
    title: 'unknown fields of every type',
    files: {
      a: [
        'colour: 7',
        cluster('{server: "https://x", weight: 1, more: [a]}'),
        user('{token: t, expires: 2030-01-01, deep: {a: 1}}'),
      ].join('\n'),
    },
  },
  {
    title: 'fields in another case',
    files: { a: [cluster('{Server: "https://x"}'), user('{tokenfile: x, Token: t}')].join('\n') },
  },
  {
    title: 'the JSON form',
    files: {
      a: JSON.stringify(
        {
          kind: 'Config',
          apiVersion: 'v1',
          'current-context': 'x',
          clusters: [{ name: 'c', cluster: { server: 'https://x' } }],
        },
        null,
        '\t',
      ),
    },
  },
  {
    title: 'preferences and extensions',
    files: {
      a: `preferences: {colors: true}\nextensions: [{name: e, extension: {a: 1}}]\n${cluster('{server: "https://x", extensions: [{name: e, extension: {a: [1, {b: c}]}}]}')}`,
    },
  },
  {
    title: 'extensions of a context',
    files: { a: context('{cluster: c, extensions: [{name: e, extension: {last-update: now}}]}') },
  },
  {
    title: 'a CA file beside the file',
    files: { 'sub/a': cluster('{certificate-authority: ca.pem}'), 'sub/ca.pem': PEM },
  },
  { title: 'a CA file above', files: { 'sub/a': cluster('{certificate-authority: ../ca.pem}'), 'ca.pem': PEM } },
  {
    title: 'a relative CA of the second file',
    files: { 'one/a': user('{token: t}'), 'two/b': cluster('{certificate-authority: ./ca.pem}'), 'two/ca.pem': PEM },
  },
  {
    title: 'client certificates in files',
    files: {
      'sub/a': user('{client-certificate: c.pem, client-key: k/key.pem}'),
      'sub/c.pem': PEM,
      'sub/k/key.pem': `${PEM}${PEM}`,
    },
  },
  {
    title: 'inline data',
    files: {
      a: [
        cluster(`{certificate-authority-data: ${DATA}}`),
        user(`{client-certificate-data: ${DATA}, client-key-data: ${DATA}}`),
      ].join('\n'),
    },
  },
  {
    title: 'inline data over several lines',
    files: {
      a: `clusters:\n- name: c\n  cluster:\n    certificate-authority-data: |\n      ${DATA.slice(0, 20)}\n      ${DATA.slice(20)}\n`,
    },
  },
  { title: 'a token file, relative', files: { 'sub/a': user('{tokenFile: run/token}') } },
  { title: 'a token and a token file', files: { a: user('{token: t, tokenFile: /run/token}') } },
  { title: 'a name and a password', files: { a: user('{username: me, password: "0123"}') } },
  {
    title: 'a TLS server name, a proxy, no compression, no verification',
    files: {
      a: cluster(
        '{server: "https://x", tls-server-name: y.test, proxy-url: "socks5://p:1", disable-compression: true, insecure-skip-tls-verify: true}',
      ),
    },
  },
  {
    title: 'what is false',
    files: { a: cluster('{server: "https://x", insecure-skip-tls-verify: false, disable-compression: no}') },
  },
  {
    title: 'impersonation',
    files: { a: user('{as: jane, as-uid: u, as-groups: [a, b], as-user-extra: {k: [v, w], acme.com/x: [z]}}') },
  },
  {
    title: 'a plugin on PATH',
    files: {
      'sub/a': exec(
        'command: aws, args: [eks, get-token], env: [{name: FIRST, value: b}], installHint: get it, provideClusterInfo: true',
      ),
    },
  },
  { title: 'a plugin beside the file', files: { 'sub/a': exec('command: ./bin/plugin, args: null, env: null') } },
  { title: 'a plugin by its absolute path', files: { 'sub/a': exec('command: /usr/bin/plugin') } },
  {
    title: 'a plugin of the beta version',
    files: { a: user('{exec: {command: p, apiVersion: client.authentication.k8s.io/v1beta1}}') },
  },
  {
    title: 'an auth provider',
    files: {
      a: user(
        '{auth-provider: {name: oidc, config: {client-id: c, id-token: t, refresh-token: r, idp-issuer-url: "https://i"}}}',
      ),
    },
  },
  {
    title: 'anchors and merge keys',
    files: {
      a: 'clusters:\n- name: a\n  cluster: &base {server: "https://x", tls-server-name: y.test}\n- name: b\n  cluster: {<<: *base, server: "https://z"}',
    },
  },
  { title: 'the old words for true', files: { a: cluster('{server: "https://x", insecure-skip-tls-verify: yes}') } },
  { title: 'a key twice', files: { a: `${user('{token: a, token: b}')}\ncurrent-context: a\ncurrent-context: b` } },
  { title: 'several documents', files: { a: 'current-context: one\n---\ncurrent-context: two' } },
  { title: 'a byte order mark and Windows line ends', files: { a: `\ufeff${CLUSTER}\r\ncurrent-context: x\r\n` } },
  {
    title: 'names with dots, slashes and colons',
    files: { a: 'users: [{name: "arn:aws:eks:eu-1:1:cluster/prod.x", user: {token: t}}]' },
  },
  {
    title: 'names that look like prototypes',
    files: { a: 'users: [{name: __proto__, user: {token: t}}, {name: constructor, user: {token: u}}]' },
  },
];

const ILLEGAL: Row[] = [
  { title: 'broken YAML', files: { a: 'a: [' } },
  { title: 'a list', files: { a: '- a' } },
  { title: 'a word', files: { a: 'hello' } },
  { title: 'another kind', files: { a: 'kind: Pod\napiVersion: v1' } },
  { title: 'another version', files: { a: 'kind: Config\napiVersion: v2' } },
  { title: 'a mapping instead of a list', files: { a: 'users: {u: {token: t}}' } },
  { title: 'a word instead of an entry', files: { a: 'clusters: [{name: c, cluster: x}]' } },
  {
    title: 'a name twice in one file',
    files: { a: 'users: [{name: a, user: {token: t}}, {name: a, user: {token: u}}]' },
  },
  { title: 'a number for a token', files: { a: user('{token: 0123}') } },
  { title: 'a number for a name', files: { a: 'users: [{name: 7, user: {token: t}}]' } },
  { title: 'a number for the current context', files: { a: 'current-context: 7' } },
  { title: 'an old word for true as a user', files: { a: user('{username: yes}') } },
  { title: 'text for a switch', files: { a: cluster('{insecure-skip-tls-verify: "true"}') } },
  { title: 'a word for a list', files: { a: user('{as-groups: admins}') } },
  { title: 'a word for a list of extras', files: { a: user('{as-user-extra: {k: v}}') } },
  { title: 'a number in a list of words', files: { a: user('{as-groups: [7]}') } },
  { title: 'data that is not base64', files: { a: cluster('{certificate-authority-data: "***"}') } },
  { title: 'a number among the arguments of a plugin', files: { a: exec('command: p, args: [1]') } },
  { title: 'a map for the environment of a plugin', files: { a: exec('command: p, env: {A: b}') } },
  { title: 'a number in an auth provider', files: { a: user('{auth-provider: {name: oidc, config: {x: 1}}}') } },
  { title: 'a good file and a broken one', files: { a: CLUSTER, b: 'a: [' } },
  { title: 'a directory', files: { 'd/x.pem': '' }, list: ['d'] },
];

const at = (name: string) => path.join(directory, name);

async function write(name: string, text: string): Promise<string> {
  await mkdir(path.dirname(at(name)), { recursive: true });
  await writeFile(at(name), text);
  return at(name);
}

describe('readKubeconfig', () => {
  it('skips a missing file, uses the first entry of a name as a whole, and the first current context', async () => {
    const files = [
      await write('a', FIRST),
      at('missing'),
      await write('b', SECOND),
      await write('c', 'current-context: x3'),
    ];
    const merged = await readKubeconfig(files);
    expect(Object.fromEntries(merged.clusters)).toEqual({
      c1: { server: 'https://one:6443' },
      c2: { server: 'https://two:6443/base/', 'tls-server-name': 'two.test' },
    });
    expect(merged.users.get('u1')).toEqual({ token: 't1' });
    expect([...merged.contexts.keys()].sort()).toEqual(['x1', 'x2', 'x3']);
    expect(merged.currentContext).toBe('x2');
    expect(merged.files).toEqual([files[0], files[2], files[3]]);
  });

  it('resolves paths against the folder of their file, except for a plugin on PATH', async () => {
    const user = (command: string) =>
      `{tokenFile: t, client-certificate: ./c, client-key: /abs/k, exec: {command: ${command}}}`;
    const text = `clusters: [{name: c, cluster: {certificate-authority: ../ca}}]\nusers: [{name: a, user: ${user('./plugin')}}, {name: b, user: ${user('plugin')}}]`;
    const { clusters, users } = await readKubeconfig([await write('sub/config', text)]);
    expect(clusters.get('c')?.['certificate-authority']).toBe(at('ca'));
    expect(users.get('a')).toMatchObject({
      tokenFile: at('sub/t'),
      'client-certificate': at('sub/c'),
      'client-key': '/abs/k',
      exec: { command: at('sub/plugin') },
    });
    expect(users.get('b')?.exec?.command).toBe('plugin');
  });

  it.each([
    ['a: [', /error loading config file ".*broken"/],
    ['- a', /it is not a kubeconfig/],
    ['users: {}', /users must be a list/],
    ['users: [{name: 7}]', /users\[0\]\.name must be a string/],
    ['users: [{name: a}, {name: a}]', /duplicate name "a" in list users/],
    ['users: [{name: a, user: {token: 0123}}]', /user "a": token must be a string/],
    ['clusters: [{name: a, cluster: x}]', /cluster "a" must be a mapping/],
  ])('refuses %s', async (text, message) => {
    await expect(readKubeconfig([await write('broken', text)])).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(message),
    });
  });

  it('reads an empty file and empty lists', async () => {
    const kubeconfig = await readKubeconfig([await write('empty', ''), await write('nulls', 'users:\nclusters: null')]);
    expect(kubeconfig.users.size).toBe(0);
  });
});

describe.skipIf('missing' in kubectl)(`merged as kubectl config view --raw --flatten merges them${reason}`, () => {
  it.each(LEGAL.map((row, i) => ({ ...row, i })))('$title', async (row) => {
    const files = await lay(row, `legal-${row.i}`);
    const { code, stdout, stderr } = await view(files);
    expect(code, stderr).toBe(0);
    expect(await flattened(await readKubeconfig(files.filter(Boolean)))).toEqual(
      normal(withPathsOf(files[0], JSON.parse(stdout))),
    );
  });
});

describe.skipIf('missing' in kubectl)(`refused as kubectl refuses it${reason}`, () => {
  it.each(ILLEGAL.map((row, i) => ({ ...row, i })))('$title', async (row) => {
    const files = await lay(row, `illegal-${row.i}`);
    expect((await view(files)).code).not.toBe(0);
    await expect(readKubeconfig(files)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(files.at(-1) ?? ''),
    });
  });
});

async function lay({ files, list }: Row, under: string): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, under, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const names = list ?? Object.keys(files).filter((name) => !name.endsWith('.pem'));
  return names.map((name) => (name === '' ? '' : path.join(directory, under, name)));
}

function view(files: string[]) {
  if ('missing' in kubectl) throw new Error(kubectl.missing);
  const env = { KUBECONFIG: files.join(path.delimiter), HOME: directory };
  return runKubectl(kubectl.path, ['config', 'view', '--raw', '--flatten', '-o', 'json'], { env });
}

/** The form that kubectl prints: sorted names, data instead of certificate files, only known fields. */
async function flattened({ clusters, users, contexts, currentContext }: Kubeconfig): Promise<unknown> {
  return normal({
    clusters: await listed(clusters, 'cluster', CLUSTER_FIELDS),
    users: await listed(users, 'user', USER_FIELDS),
    contexts: await listed(contexts, 'context', CONTEXT_FIELDS),
    'current-context': currentContext,
  });
}

const CLUSTER_FIELDS = [
  'server',
  'tls-server-name',
  'insecure-skip-tls-verify',
  'certificate-authority',
  'certificate-authority-data',
  'proxy-url',
  'disable-compression',
  'extensions',
];
const USER_FIELDS = [
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'token',
  'tokenFile',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
  'username',
  'password',
  'auth-provider',
  'exec',
  'extensions',
];
const CONTEXT_FIELDS = ['cluster', 'user', 'namespace', 'extensions'];

async function listed(entries: ReadonlyMap<string, object>, item: string, known: string[]): Promise<object[]> {
  const names = [...entries.keys()].sort();
  return Promise.all(
    names.map(async (name) => {
      const fields = Object.entries(entries.get(name) ?? {}).filter(([field]) => known.includes(field));
      return { name, [item]: Object.fromEntries(await Promise.all(fields.map(withData))) };
    }),
  );
}

async function withData([field, value]: [string, unknown]): Promise<[string, unknown]> {
  const isFile = ['certificate-authority', 'client-certificate', 'client-key'].includes(field);
  return isFile ? [`${field}-data`, (await readFile(String(value))).toString('base64')] : [field, value];
}

/** kubectl makes only those paths absolute that it flattens. */
function withPathsOf(
  file = '',
  config: { users: { user: { tokenFile?: string; exec?: { command: string } } }[] | null },
): object {
  const absolute = (name: string) => path.resolve(path.dirname(file), name);
  for (const { user } of config.users ?? []) {
    if (user.tokenFile) user.tokenFile = absolute(user.tokenFile);
    if (user.exec?.command.includes('/')) user.exec.command = absolute(user.exec.command);
  }
  return config;
}

/** Without empty fields, and with the default that kubectl writes into beta plugins. */
function normal(value: unknown): unknown {
  const { clusters, users, contexts, 'current-context': current } = value as Record<string, unknown>;
  return withoutNothing({ clusters, users, contexts, 'current-context': current });
}

function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing);
  if (typeof value !== 'object' || value === null) return value;
  const { interactiveMode, ...rest } = value as Record<string, unknown>;
  const fields = Object.entries(interactiveMode === 'IfAvailable' ? rest : (value as object));
  return Object.fromEntries(
    fields
      .map(([name, each]) => [name, withoutNothing(each)])
      .filter(([name, each]) => name === 'name' || !isNothing(each)),
  );
}

function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false;
}
