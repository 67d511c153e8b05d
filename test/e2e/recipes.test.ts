import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { CORE_SCHEMA, loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { eventually } from '../../src/testing/index.ts';
import { startClusters } from '../support/clusters.ts';
import { findKubectl } from '../support/kubectl.ts';
import { alike, type Recipe, recipesOf } from '../support/recipe-page.ts';
import { RecipeShell, type TypedLine } from '../support/recipe-shell.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const SHOP = loadAll(read('examples/recipes/shop.yaml'), { schema: CORE_SCHEMA }) as UnknownObject[];
const RECIPES = recipesOf(read('docs/recipes.md'));

const kubectl = findKubectl();
const hasJq = (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, 'jq')));
const canRun = 'path' in kubectl && hasJq;

type Clusters = Awaited<ReturnType<typeof startClusters<'east' | 'west'>>>;
type Server = Clusters['sandboxes']['east'];

/** A cluster as in the page, a shell, and what the chat of the page received. */
interface Scene {
  readonly server: Server;
  readonly other: Server;
  readonly shell: RecipeShell;
  readonly messages: string[];
  object(kind: string, key: string): UnknownObject | undefined;
}

/** What a recipe needs and does beside what the page shows. */
interface Check {
  /** Its program ends by itself. */
  readonly ends?: true;
  /** The watches that must be open before anything changes. Default 1. */
  readonly watches?: number;
  /** Numbers of the page that are smaller here: the test has no hundred changes. */
  readonly shorter?: readonly [page: string, here: string];
  /** Runs before the first line. */
  before?(scene: Scene): void;
  /** Runs after all lines of the page, with the last program. */
  beyond?(scene: Scene, typed: TypedLine): Promise<void>;
}

const shop = (kind: string, name: string) =>
  structuredClone(SHOP.find((object) => object.kind === kind && object.metadata.name === name)) as UnknownObject & {
    status: Record<string, unknown>;
    stringData?: Record<string, string>;
  };
const withStatus = (kind: string, name: string, status: object) => {
  const object = shop(kind, name);
  return { ...object, status: { ...object.status, ...status } };
};
const crashing = (name: string) =>
  withStatus('Pod', name, {
    containerStatuses: [
      {
        name: 'c',
        image: 'c',
        imageID: '',
        ready: false,
        restartCount: 4,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
      },
    ],
  });
const job = (type: 'Complete' | 'Failed') =>
  withStatus('Job', 'migrate', {
    conditions: [{ type, status: 'True' }],
    ...(type === 'Complete' ? { succeeded: 1 } : {}),
  });
const lines = (typed: TypedLine) => typed.stdout.split('\n').map(alike);
const prints = (typed: TypedLine, pattern: RegExp) =>
  typed.until(() => lines(typed).some((line) => pattern.test(line)), `a line like ${pattern}`);
const answers: Check = { ends: true };

const CERTIFICATES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.cert-manager.io' },
  spec: {
    group: 'cert-manager.io',
    scope: 'Namespaced',
    names: { plural: 'certificates', singular: 'certificate', kind: 'Certificate' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const certificate = (status: 'True' | 'False') => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'shop-tls', namespace: 'shop' },
  status: { conditions: [{ type: 'Ready', status }] },
});

const CHECKS: Record<string, Check> = {
  'Pods that crash again and again': {
    async beyond({ server }, typed) {
      server.apply(crashing('ledger-0'));
      await prints(typed, /^ADDED billing ledger-0 0\/1 CrashLoopBackOff 4/);
      server.apply(shop('Pod', 'ledger-0'));
      await prints(typed, /^LEFT billing ledger-0 1\/1 Running/);
    },
  },
  'Warnings as a stream': {
    async beyond({ server }, typed) {
      server.apply({ ...shop('Event', 'mail-0.1'), count: 8 });
      await prints(typed, /^mail-0 BackOff 8 /);
    },
  },
  'Pods that stay Pending': {
    async beyond({ server }, typed) {
      server.apply(withStatus('Pod', 'reports-0', { phase: 'Running' }));
      await prints(typed, /^- billing reports-0/);
    },
  },
  'Nodes that are not ready': {
    async beyond({ server }, typed) {
      server.apply(withStatus('Node', 'worker-1', { conditions: [{ type: 'Ready', status: 'Unknown' }] }));
      await prints(typed, /^ADDED worker-1 NotReady/);
      server.apply(shop('Node', 'worker-1'));
      await prints(typed, /^LEFT worker-1 Ready/);
    },
  },
  'Claims that are not bound': answers,
  'Quotas that are nearly used up': {
    async beyond({ server }, typed) {
      const quota = SHOP.find(({ kind, metadata }) => kind === 'ResourceQuota' && metadata.namespace === 'billing');
      server.apply({ ...quota, status: { hard: { 'requests.cpu': '2' }, used: { 'requests.cpu': '1800m' } } } as never);
      await prints(typed, /^billing compute map/);
    },
  },
  'A gate for a rollout': answers,
  'Stop a deployment when a pod crashes': answers,
  'Wait for a Job': {
    async beyond({ server }, typed) {
      server.apply(job('Complete'));
      expect(await typed.ended(), typed.stderr).toBe(0);
    },
  },
  'Wait for a custom resource': {
    ends: true,
    before({ server }) {
      server.apply([CERTIFICATES, certificate('True')]);
    },
  },
  'A state that lasts': answers,
  'A Deployment, field by field, with the author': {},
  'Fields that flap': { ends: true, shorter: ['--limit 100', '--limit 4'] },
  'Who changed roles and bindings': { watches: 4 },
  'What happened overnight': answers,
  'Who uses this Secret?': answers,
  'What belongs to this Deployment?': answers,
  'ReplicaSets without an owner': answers,
  'What runs on this node?': answers,
  'Which images come from this registry?': answers,
  'What may this user do?': answers,
  'The images that run most often': answers,
  'Pods for each node, and what they ask for': answers,
  'Pods for each team, over time': {},
  'Pods without a limit': answers,
  'A table for a spreadsheet': answers,
  'Two clusters side by side': {
    ends: true,
    before({ other }) {
      const web = structuredClone(SHOP.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'web'));
      const { spec } = web as unknown as { spec: { template: { spec: { containers: { image: string }[] } } } };
      for (const container of spec.template.spec.containers) container.image = 'nginx:1.28.1';
      other.apply(web as never);
    },
  },
  'Into jq': {},
  'A record of everything': {
    watches: 2,
    async beyond({ shell }) {
      const record = () =>
        readFileSync(path.join(shell.folder, 'changes.ndjson'), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      const change = await eventually(() => record().find(({ type }) => type === 'MODIFIED'), { timeoutMs: 60_000 });
      expect(change).toMatchObject({
        key: 'shop/web-config',
        changes: [{ to: { note: 'seen' }, by: 'kubectl-annotate' }],
      });
      expect(record().filter(({ type }) => type === 'SYNCED')).toHaveLength(2);
    },
  },
  'A message to a chat': {
    async beyond({ server, messages }) {
      await eventually(() => messages.length > 0, { timeoutMs: 60_000 });
      server.apply(crashing('ledger-0'));
      await eventually(() => messages.length > 1, { timeoutMs: 60_000 });
      expect(messages.map((message) => JSON.parse(message))).toEqual([
        { text: 'shop/mail-0 crashes, 7 restarts' },
        { text: 'billing/ledger-0 crashes, 4 restarts' },
      ]);
    },
  },
  'A label for new namespaces': {
    async beyond({ object }) {
      const label = (name: string) => object('namespaces', name)?.metadata.labels?.['pod-security.kubernetes.io/warn'];
      expect(['billing', 'search', 'shop', 'default', 'kube-system'].map(label)).toEqual([
        'restricted',
        'restricted',
        'restricted',
        undefined,
        undefined,
      ]);
    },
  },
  'A restart when a ConfigMap changes': {
    async beyond({ object }) {
      const restarted = (name: string) =>
        JSON.stringify(object('deployments', `shop/${name}`)).includes('restarted-for-');
      expect(['web', 'api'].map(restarted)).toEqual([true, false]);
    },
  },
  'Objects that delete themselves': {
    async beyond({ object }) {
      await eventually(() => object('pods', 'billing/reports-0') === undefined, { timeoutMs: 60_000 });
      expect(object('pods', 'billing/ledger-0')).toBeDefined();
    },
  },
  'A copy of a Secret in other namespaces': {
    async beyond({ object }, typed) {
      const value = Buffer.from(shop('Secret', 'db-login').stringData?.password ?? '').toString('base64');
      expect(object('secrets', 'billing/db-login')).toMatchObject({ type: 'Opaque', data: { password: value } });
      expect(typed.stdout + typed.stderr).not.toContain(value);
    },
  },
  'Work before a deletion': {
    async beyond({ object }, typed) {
      await eventually(() => object('configmaps', 'shop/web-config') === undefined, { timeoutMs: 60_000 });
      expect(typed.stdout.indexOf('deleted what belongs')).toBeLessThan(typed.stdout.indexOf('"op":"remove"'));
    },
  },
};

const GROUPS: Record<string, string> = { deployments: 'apps' };

/** Runs `body` with a cluster as in the page, a second one, a chat and a shell. */
async function inShop<T>(recipe: Recipe, body: (scene: Scene) => Promise<T>): Promise<T> {
  await using left = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'informer-recipe-'));
  left.defer(() => rm(folder, { recursive: true, force: true }));
  const clusters = left.use(await startClusters({ east: SHOP, west: SHOP }));
  const messages: string[] = [];
  const chat = createServer(async (request, response) => {
    messages.push(await text(request));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(chat, 'listening');
  left.defer(() => void chat.close());
  const env = { ...clusters.env, CHAT_URL: `http://127.0.0.1:${(chat.address() as AddressInfo).port}/` };
  const shell = left.use(new RecipeShell(folder, 'path' in kubectl ? kubectl.path : '', env));
  for (const file of recipe.files) shell.file(file.name, [file.text.trimEnd()]);
  const server = clusters.sandboxes.east;
  const object = (resource: string, key: string) =>
    server.get({ group: GROUPS[resource] ?? '', version: 'v1', resource }, key) as UnknownObject | undefined;
  return await body({ server, other: clusters.sandboxes.west, shell, messages, object });
}

/** Types the lines of a recipe one after the other, and waits for what the page shows after each. */
async function follow({ lines: page }: Recipe, check: Check, { server, shell }: Scene): Promise<TypedLine> {
  let typed: TypedLine | undefined;
  let shown: string[] = [];
  let opened = 0;
  const watches = () => server.requests.matching(/[?&]watch=(true|1)/).length;
  const settle = async () => {
    if (!typed) return;
    const one = typed;
    if (check.ends) expect(await one.ended(), one.stderr).toBe(0);
    const seen = () => `${one.stdout}\n${one.stderr}`.split('\n').map(alike);
    for (const line of shown.filter((each) => each !== '…'))
      await one.until(() => seen().includes(alike(line)), `the line of the page: ${line}`);
    if (shown.includes('…')) return;
    const printed = lines(one).filter(Boolean);
    const onStdout = shown.map(alike).filter((line) => printed.includes(line));
    expect(printed, 'what stdout has, and the page').toEqual(onStdout);
  };
  for (const { kind, text: line } of page) {
    if (kind === 'printed') shown.push(line);
    else if (kind === 'typed') {
      await settle();
      shown = [];
      opened = watches();
      typed = shell.type(check.shorter ? line.replace(...check.shorter) : line);
    } else {
      const one = typed as TypedLine;
      const isReady = () => one.hasEnded || watches() - opened >= (check.watches ?? 1);
      await one.until(isReady, `its watches, and then: ${line}`);
      if (shown.length > 0 && !check.ends) await settle();
      const elsewhere = shell.type(line);
      expect(await elsewhere.ended(), `${line}: ${elsewhere.stderr}`).toBe(0);
    }
  }
  await settle();
  return typed as TypedLine;
}

describe.skipIf(!canRun)('docs/recipes.md (with kubectl and jq)', () => {
  it('has at least 25 recipes; each says what it is for, has a command, and is checked here', () => {
    expect(RECIPES.length).toBeGreaterThanOrEqual(25);
    expect(RECIPES.map(({ title }) => title)).toEqual(Object.keys(CHECKS));
    for (const { title, prose, lines: page } of RECIPES) {
      expect(prose.length, title).toBeGreaterThan(30);
      expect(page.filter(({ kind }) => kind === 'typed').length, title).toBeGreaterThan(0);
    }
  });

  it.each(RECIPES)('does what it says, and prints what it shows: $title', { timeout: 120_000 }, async (recipe) => {
    const check = CHECKS[recipe.title] ?? {};
    await inShop(recipe, async (scene) => {
      check.before?.(scene);
      const typed = await follow(recipe, check, scene);
      await check.beyond?.(scene, typed);
      if (!typed.hasEnded) typed.interrupt();
      expect(await typed.ended(), typed.stderr).toBe(0);
    });
  });

  const titled = (title: string) => RECIPES.find((recipe) => recipe.title === title) as Recipe;
  const commandOf = (recipe: Recipe) => recipe.lines.find(({ kind }) => kind === 'typed')?.text ?? '';

  it.each([
    ['1 when its progress deadline has passed', 'Progressing', 1],
    ['3 when the time is over', undefined, 3],
  ] as const)('the gate for a rollout ends with %s', { timeout: 120_000 }, async (_, failed, code) => {
    const recipe = titled('A gate for a rollout');
    await inShop(recipe, async ({ server, shell }) => {
      const conditions = failed ? [{ type: failed, status: 'False', reason: 'ProgressDeadlineExceeded' }] : [];
      server.apply(withStatus('Deployment', 'web', { updatedReplicas: 1, conditions }));
      const line = commandOf(recipe).replace('--timeout 5m', failed ? '--timeout 5m' : '--timeout 3s');
      const typed = shell.type(line);
      expect(await typed.ended(), typed.stderr).toBe(code);
      expect(typed.stdout).toBe('');
    });
  });

  it('the wait for a Job ends with 5 when the Job fails', { timeout: 120_000 }, async () => {
    const recipe = titled('Wait for a Job');
    await inShop(recipe, async ({ server, shell }) => {
      const typed = shell.type(commandOf(recipe));
      await prints(typed, /^ADDED migrate Running/);
      server.apply(job('Failed'));
      expect(await typed.ended(), typed.stderr).toBe(5);
    });
  });

  it('ttl.ts with --dry-run prints what would be deleted, and deletes nothing', { timeout: 120_000 }, async () => {
    const recipe = titled('Objects that delete themselves');
    await inShop(recipe, async ({ server, shell, object }) => {
      const pod = shop('Pod', 'reports-0');
      server.apply({ ...pod, metadata: { ...pod.metadata, annotations: { ttl: '7d' } } });
      const typed = shell.type(commandOf(recipe).replace('--allow-write', '--dry-run'));
      await prints(typed, /^billing\/reports-0: dry run: DELETED v1\/pods billing\/reports-0/);
      typed.interrupt();
      expect(await typed.ended(), typed.stderr).toBe(0);
      expect(object('pods', 'billing/reports-0')?.metadata.deletionTimestamp).toBeUndefined();
    });
  });
});
