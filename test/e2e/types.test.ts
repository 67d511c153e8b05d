import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { APPLES, type Fixture, OBJECTS, startFixture } from '../support/fixture.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TREES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'trees.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'trees', singular: 'tree', kind: 'Tree' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A tree. */ export const injected = 1; /*',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['height'],
                properties: {
                  height: { type: 'integer', description: 'In metres.' },
                  kind: { type: 'string', enum: ['Oak', 'Elm'] },
                  water: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
                  branches: {
                    type: 'array',
                    items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
                  },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                  extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      },
    ],
  },
};

let fixture: Fixture;
/** A project of a user, which has this package. */
let project: string;
beforeAll(async () => {
  fixture = await startFixture([...OBJECTS, APPLES, TREES]);
  project = await mkdtemp(path.join(tmpdir(), 'informer-types-'));
  await mkdir(path.join(project, 'node_modules'));
  await symlink(ROOT, path.join(project, 'node_modules/kubectl-informer'));
  await writeFile(path.join(project, 'package.json'), '{"type":"module"}');
});
afterAll(async () => {
  await rm(project, { recursive: true });
  await fixture[Symbol.asyncDispose]();
});

const types = (...line: string[]) => run(['types', ...line], { env: fixture.env, cwd: project });

/** The errors of the compiler for these lines of a hook, by their lines. */
async function errorsOf(hook: string): Promise<string[]> {
  await writeFile(path.join(project, 'hook.ts'), hook);
  const options = '--ignoreConfig --noEmit --strict --target esnext --module nodenext --types'.split(' ');
  try {
    execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), [...options, '', 'hook.ts'], {
      cwd: project,
      encoding: 'utf8',
    });
    return [];
  } catch (error) {
    return (error as { stdout: string }).stdout.split('\n').filter((line) => line.includes('error TS'));
  }
}

describe('types of a custom resource', () => {
  it('compile in a hook, and refuse what the schema does not have', async () => {
    expect(await types('trees', '--out', 'tree.ts')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const good = `import type { HookContext } from 'kubectl-informer/hooks';
import type { Tree } from './tree.js';

export default async function reconcile({ object, oldObject }: HookContext<Tree>) {
  if (!object) return;
  const height: number = object.spec.height;
  const kind: 'Oak' | 'Elm' | undefined = object.spec.kind;
  const water: number | string | undefined = object.spec.water;
  const names: string[] = (object.spec.branches ?? []).map(({ name }) => name);
  const label: string | undefined = object.spec.labels?.app;
  const extra: unknown = object.spec.extra?.anything;
  const grew: boolean = height > (oldObject?.spec.height ?? 0);
  return { requeueAfter: String(object.metadata.name), actions: [{ patch: { spec: { height, kind, water, names, label, extra, grew } } }] };
}
`;
    expect(await errorsOf(good)).toEqual([]);
    expect(await errorsOf(good.replace('object.spec.height;', 'object.spec.heigth;'))).toEqual([
      expect.stringContaining("Property 'heigth' does not exist on type"),
    ]);
    expect(await errorsOf(good.replace("'Oak' | 'Elm' | undefined", "'Oak' | undefined"))).toHaveLength(1);
    expect(await errorsOf(good.replace('const water: number | string', 'const water: number'))).toHaveLength(1);
    expect(await errorsOf(good.replace('(object.spec.branches ?? [])', 'object.spec.branches'))).toHaveLength(1);
    expect(await readFile(path.join(project, 'tree.ts'), 'utf8')).not.toMatch(/^export const/m);
  });

  it('are those of the library, too', async () => {
    await types('trees', '--out', 'tree.ts');
    const use = (field: string) => `import type { Client, DeepReadonly } from 'kubectl-informer';
import type { Tree } from './tree.js';

export async function heights(client: Client, gvr: { group: string; version: string; resource: string }) {
  const trees = client.resource<Tree>(gvr, { namespace: 'shop' });
  const { items } = await trees.list();
  return items.map((tree: DeepReadonly<Tree>) => tree.spec.${field} + 1);
}
`;
    expect(await errorsOf(use('height'))).toEqual([]);
    expect(await errorsOf(use('width'))).toHaveLength(1);
  });
});

describe('types of built-in resources', () => {
  it('compile, several in one file, with what they refer to once', async () => {
    const { code, stdout } = await types('deploy,po', 'services', 'customresourcedefinitions');
    expect(code).toBe(0);
    await writeFile(path.join(project, 'types.ts'), stdout);
    const names = [...stdout.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
    expect(names.slice(0, 4)).toEqual(['CustomResourceDefinition', 'Deployment', 'Pod', 'Service']);
    expect(new Set(names).size).toBe(names.length);
    const hook = `import type { Deployment, Pod, Service } from './types.js';

export const images = (pod: Pod): (string | undefined)[] => (pod.spec?.containers ?? []).map(({ image }) => image);
export const memory = (pod: Pod): string | undefined => pod.spec?.containers[0]?.resources?.limits?.memory;
export const ports = ({ spec }: Service): (number | string | undefined)[] => (spec?.ports ?? []).map((port) => port.targetPort);
export const replicas = (deployment: Deployment): number => deployment.spec?.replicas ?? 1;
export const created = (pod: Pod): string | undefined => pod.metadata.creationTimestamp;
export const kind: Pod['kind'] = 'Pod';
`;
    expect(await errorsOf(hook)).toEqual([]);
    expect(await errorsOf(hook.replace("= 'Pod';", "= 'Pot';"))).toHaveLength(1);
    expect(await errorsOf(hook.replace('spec?.replicas', 'spec?.replica'))).toHaveLength(1);
  });

  it('compile in the hook of the page about them', async () => {
    expect((await types('deployments', '--out', 'types.ts')).code).toBe(0);
    const page = await readFile(path.join(ROOT, 'docs/types.md'), 'utf8');
    const hook = /```typescript\n([\s\S]*?)```/.exec(page)?.[1]?.replace("'./types.ts'", "'./types.js'") ?? '';
    expect(hook).toContain('HookContext<Deployment>');
    expect(await errorsOf(hook)).toEqual([]);
    expect(await errorsOf(hook.replace('spec?.replicas', 'spec?.replica'))).toHaveLength(1);
  });

  it('are the same text each time, in whatever order they are named', async () => {
    const [first, second] = [await types('pods', 'apps/v1/deployments'), await types('deployments.apps,po')];
    expect(first.stdout).toBe(second.stdout);
    expect(first.stdout).toContain('types apps/v1/deployments v1/pods --out FILE\n');
  });
});

describe('refusals', () => {
  it.each<[string[], string]>([
    [[], 'error: which types?\nhint: for example: kubectl-informer types pods,deployments\n'],
    [
      ['pod/web-1'],
      'error: types are written for types, not for objects such as pod/web-1\nhint: leave out the name: pods\n',
    ],
    [['podz'], `error: the server doesn't have a resource type "podz"\nhint: Did you mean "pod" or "pods"`],
    [['pods', '--out', 'nowhere/types.ts'], 'error: cannot write nowhere/types.ts: '],
  ])('%j', async (line, expected) => {
    const { code, stdout, stderr } = await types(...line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.startsWith(expected), stderr).toBe(true);
  });

  it('a pipe as --out is neither read nor replaced, and stderr says what to name', async () => {
    const pipe = path.join(project, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await types('myapples', '-o', 'pipe')).toMatchObject({
      code: 2,
      stderr: `error: cannot write pipe: pipe is no regular file
hint: name a file in a folder that exists and may be written; without --out the types go to stdout
`,
    });
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it('a file that types did not write stays as it is; its own is written again', async () => {
    const file = path.join(project, 'own.ts');
    await writeFile(file, 'export const mine = 1;\n');
    expect(await types('myapples', '-o', 'own.ts')).toMatchObject({
      code: 2,
      stderr: "error: own.ts exists, and 'types' did not write it\nhint: name another file, or remove this one first\n",
    });
    expect(await readFile(file, 'utf8')).toBe('export const mine = 1;\n');
    expect((await types('myapples', '-o', 'made.ts')).code).toBe(0);
    expect((await types('trees', '-o', 'made.ts')).code).toBe(0);
    expect(await readFile(path.join(project, 'made.ts'), 'utf8')).toContain('interface Tree ');
  });

  it('a server that fails ends it with its message', async () => {
    await using other = await startFixture();
    other.sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path: '/openapi/v3' } });
    const { code, stdout, stderr } = await run(['types', 'pods'], { env: other.env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*(forbidden|Forbidden)/);
  });
});
