import fc from 'fast-check';
import { loadAll, YAML11_SCHEMA } from 'js-yaml';
import { expect, it } from 'vitest';
import { plainYaml } from '../../../src/client/config/plain-yaml.ts';

const KUBECTL = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
    server: https://127.0.0.1:6443
  name: kind-kind
contexts:
- context:
    cluster: kind-kind
    namespace: shop
    user: kind-kind
  name: kind-kind
current-context: kind-kind
kind: Config
preferences: {}
users:
- name: kind-kind
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
        - --region
        - "eu-1"
      command: aws
      env: null
      provideClusterInfo: false
`.replace('env: null', 'env:');

it('reads what kubectl writes as the library does', () => {
  expect(plainYaml(KUBECTL)).toEqual(loadAll(KUBECTL)[0]);
  expect(plainYaml('# by hand\n\nusers:\n  - name: "a b"\n    user: {}\nlist: []\n')).toEqual({
    users: [{ name: 'a b', user: {} }],
    list: [],
  });
});

it.each(['5f0-Qz_1', '_h', '-kW2', '0x1fz', '1e5h', '12:30:45p', '1_000k', '10.0.0.1:6443/path'])(
  'reads the token %j, which begins as a number does, as the library does',
  (token) => {
    expect(plainYaml(`token: ${token}`)).toEqual({ token });
    expect(loadAll(`token: ${token}`, { schema: YAML11_SCHEMA })[0]).toEqual({ token });
  },
);

it.each([
  'a: yes',
  'a: 0x1f',
  'a: 0o17',
  'a: 0b11',
  'a: -.inf',
  'a: -1e-5',
  'a: 1_000',
  'a: 12:30:45',
  'a: NO',
  'y: b',
  'a: null',
  'a: ~',
  'a: 12',
  'a: 1e3',
  'a: .inf',
  'a: 2026-01-01',
  'a: b c',
  'a: b #c',
  'a: "b\\n"',
  "a: 'b'",
  'a: b:',
  'a: b\n  c: d',
  'a:\n  b: c\n d: e',
  'a: &x b',
  'a: *x',
  'a: !!str b',
  'a: |\n  b',
  '<<: b',
  'a: {b: c}',
  'a: [b]',
  'a: b\n---\na: c',
  'a:\tb',
  'a: b\r\nc: d\r\n',
  'a: ü',
  '# \0\na: b',
  '# \u0085x: y\na: b',
  '# \u2028x: y\na: b',
  '',
])('leaves %j to the library', (text) => {
  expect(plainYaml(text)).toBeUndefined();
});

it.each([
  ['maps', Array.from({ length: 5_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ['lists in one line', `${'- '.repeat(20_000)}a`],
])('leaves %s, nested without end, to the library, which has a limit', (_, text) => {
  expect(plainYaml(text)).toBeUndefined();
});

it('reads maps and lists as deep as no kubeconfig has them', () => {
  const text = Array.from({ length: 30 }, (_, i) => `${' '.repeat(2 * i)}${i === 0 ? '' : '- '}a:`).join('\n');
  expect(plainYaml(text)).toEqual(loadAll(text)[0]);
});

const line = fc
  .tuple(
    fc.constantFrom('', ' ', '  ', '    ', '      '),
    fc.constantFrom('', '- ', '- - ', '-'),
    fc.constantFrom('a:', 'b:', 'users: ', 'on: ', 'a-b: ', ''),
    fc.constantFrom(
      '',
      'x',
      ' x',
      'true',
      'off',
      '"q"',
      '{}',
      '[]',
      '1',
      'x: y',
      '#',
      'https://a:1/b',
      'x:',
      '/p',
      'a=',
      '-x',
      '7k',
    ),
  )
  .map((parts) => parts.join(''));

it('reads no text otherwise than the library', async () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 7 }), (lines) => {
      const text = lines.join('\n');
      const value = plainYaml(text);
      if (value === undefined) return;
      plain++;
      expect(value).toEqual(loadAll(text, { json: true })[0]);
    }),
    { numRuns: 20_000 },
  );
  expect(plain).toBeGreaterThan(100);
});
