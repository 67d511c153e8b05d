import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { parseKubeconfig, readKubeconfig } from '../../../src/client/config/kubeconfig-file.ts';
import { loadConfig } from '../../../src/client/kubeconfig.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { damaged, oddText } from '../inputs.ts';
import { settled } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

/** A part of every secret in these kubeconfigs. */
const MARK = 'HUNTER2';
const secret = fc.tuple(fc.constantFrom('', ' ', ': ', '"', '#', '&a ', '!b ', '\n'), oddText).map(([odd, text]) => {
  const printable = text.replace(/[^ -~]/g, '');
  return `${MARK}${odd}${MARK}${printable}${MARK}`;
});
const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const place = fc.constantFrom('ca.crt', '../ca.crt', '/abs/ca.crt', './x/y', '');
const server = fc.constantFrom(
  'https://10.0.0.1:6443',
  '10.0.0.1',
  'http://[::1]/p',
  'x y',
  '',
  'https://u:HUNTER2@h:x',
);

const cluster = fc.record({
  server,
  'certificate-authority': place,
  'proxy-url': fc.constantFrom('', 'http://u:HUNTER2@proxy', 'ftp://u:HUNTER2@proxy'),
  'insecure-skip-tls-verify': fc.constantFrom<unknown>(true, false, 'yes', 1),
});
const exec = fc.record({
  command: fc.constantFrom('./plugin', 'plugin', '../bin/plugin', '/plugin'),
  args: fc.array(secret, { maxLength: 2 }),
  apiVersion: fc.constantFrom('client.authentication.k8s.io/v1', 'x'),
});
const user = fc.record(
  {
    token: secret,
    password: secret,
    username: oddText,
    'client-key': place,
    tokenFile: place,
    'client-key-data': secret,
    exec,
  },
  { requiredKeys: [] },
);
const context = fc.record({ cluster: name, user: name, namespace: oddText }, { requiredKeys: [] });
const entries = (field: string, entry: fc.Arbitrary<unknown>) =>
  fc.array(
    fc.tuple(name, entry).map(([called, value]) => ({ name: called, [field]: value })),
    { maxLength: 3 },
  );
const document = fc.record(
  {
    apiVersion: fc.constantFrom('v1', 'v1', 'v2'),
    kind: fc.constantFrom('Config', 'Config', 'Pod'),
    'current-context': name,
    clusters: entries('cluster', cluster),
    users: entries('user', user),
    contexts: entries('context', context),
  },
  { requiredKeys: ['clusters', 'users', 'contexts'] },
);

/** The document as JSON, or in the block style of YAML, in which people write it. */
const text = fc
  .tuple(document, fc.boolean())
  .map(([value, isBlock]) => (isBlock ? blockOf(value) : JSON.stringify(value)));

function blockOf(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return ` ${scalar(value)}\n`;
  if (Array.isArray(value)) return `\n${value.map((item) => `${indent}-${blockOf(item, `${indent}  `)}`).join('')}`;
  const lines = Object.entries(value).map(([key, item]) => `${indent}${scalar(key)}:${blockOf(item, `${indent}  `)}`);
  return `\n${lines.join('')}`;
}

/** Bare where a person would not quote it, though it may mean something else then. */
const scalar = (value: unknown) =>
  typeof value === 'string' && /^[\w./:#&! -]+$/.test(value) ? value : JSON.stringify(value);

/** Every text of an error and its causes. */
const wholeError = (error: unknown) => inspect(error, { depth: 10 });

export const kubeconfigTexts = fuzzTarget({
  name: 'kubeconfig-texts',
  share: 0.5,
  inputs: damaged(text),
  check: async (bytes) => {
    const kubeconfigText = bytes.toString('utf8');
    const parsed = await settled(() => parseKubeconfig(kubeconfigText, '/home/me/.kube/config'));
    const options = { kubeconfigText, env: {}, logger: silentLogger };
    for (const outcome of [parsed, await settled(() => loadConfig(options))]) {
      if ('error' in outcome) assert.ok(!wholeError(outcome.error).includes(MARK), 'an error quotes a secret');
    }
    if ('error' in parsed) return;
    for (const entry of parsed.value.users.values())
      for (const file of [entry.tokenFile, entry['client-key'], entry['client-certificate']])
        if (file !== undefined) assert.ok(path.isAbsolute(file), `${file} is relative`);
  },
});

const folder = mkdtempSync(path.join(tmpdir(), 'fuzz-kubeconfigs-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

type Entry = { readonly name: string } & Readonly<Record<string, unknown>>;
type Document = Readonly<Record<'clusters' | 'users' | 'contexts', readonly Entry[]>> & { 'current-context'?: string };

/** Merges as kubectl documents it: the first entry of a name is used as a whole, and the first current context. */
export const kubeconfigMerges = fuzzTarget({
  name: 'kubeconfig-merges',
  share: 0.1,
  inputs: fc.array(document, { minLength: 1, maxLength: 3 }),
  check: async (documents) => {
    const files = documents.map((value, i) => {
      const file = path.join(folder, `${i}.yaml`);
      writeFileSync(file, JSON.stringify(value));
      return file;
    });
    const merged = await settled(() => readKubeconfig([...files, path.join(folder, 'missing')]));
    const single = await Promise.all(files.map((file) => settled(() => readKubeconfig([file]))));
    if (single.some((each) => 'error' in each)) return void assert.ok('error' in merged, 'a bad file was merged');
    assert.ok('value' in merged);
    for (const list of ['clusters', 'users', 'contexts'] as const) {
      const expected = new Map<string, unknown>();
      documents.forEach((value, i) => {
        for (const entry of (value as Document)[list]) {
          const one = single[i];
          if (!expected.has(entry.name) && one && 'value' in one)
            expected.set(entry.name, one.value[list].get(entry.name));
        }
      });
      const found: ReadonlyMap<string, unknown> = merged.value[list];
      assert.deepStrictEqual(new Map([...found].sort()), new Map([...expected].sort()));
    }
    const current = documents.map((value) => (value as Document)['current-context']).find(Boolean);
    assert.equal(merged.value.currentContext, current);
  },
});
