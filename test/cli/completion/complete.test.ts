import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionRecord } from '../../../src/serve/connection-record.ts';
import type { AnswerEnd } from '../../../src/serve/protocol.ts';
import { completing } from '../../support/completing.ts';
import { fakeServe } from '../../support/fake-serve.ts';
import { APPLES, apple, type Fixture, pod, SECRET_VALUE, startFixture } from '../../support/fixture.ts';
import { OWN_CACHE } from '../../support/own-cache.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const at = (...line: string[]) => completing(line, fixture.env);

describe('words', () => {
  it.each<[string[], string[]]>([
    [['wat'], ['watch']],
    [['con'], ['config']],
    [['config', ''], ['show']],
    [['config', 'show', 'quer'], ['query']],
    [
      ['serve', 'stat'],
      ['status', 'statefulsets'],
    ],
    [['-n', 'shop', 'wat'], ['watch']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['watch', 'podt'], ['podtemplates']],
    [['watch', 'cm'], ['cm']],
    [['watch', 'pods,podt'], ['pods,podtemplates']],
    [['watch', 'deployments.'], ['deployments.apps']],
    [['watch', 'apps/v1/dep'], ['apps/v1/deployments']],
    [
      ['watch', '-n', 'shop', 'pod/'],
      ['pod/web-1', 'pod/web-2'],
    ],
    [['watch', '-n', 'shop', 'pod/web-1', 'deploy/'], ['deploy/web']],
    [['watch', '-n', 'shop', 'pod/web-1', 'podt'], ['podtemplates/']],
    [
      ['watch', '--namespace=shop', 'po', ''],
      ['web-1', 'web-2'],
    ],
    [['watch', 'pods', 'web-1', '', '-n', 'shop', 'web-'], ['web-2']],
    [['query', '-A', 'pods', 'd'], ['db-1']],
    [['reconcile', 'pods', 'w'], []],
    [['queue', 'retry', ''], []],
    [['watch', 'nosuchtype'], []],
    [['watch', 'nosuchtype/'], []],
  ])('%j', async (line, expected) => {
    expect(await at(...line)).toMatchObject({ values: expected, fault: undefined });
  });

  it('the first word is a command, with its summary', async () => {
    const { values, abouts, directive } = await at('');
    expect(values.slice(0, 3)).toEqual(['watch', 'query', 'serve']);
    expect(abouts[0]).toContain('Stream');
    expect(directive).toBe(4);
  });

  it('every type is offered once, with kind, short names and version', async () => {
    const { values, abouts } = await at('watch', '');
    expect(new Set(values).size).toBe(values.length);
    expect(abouts[values.indexOf('pods')]).toBe('Pod (po), v1');
    expect(abouts[values.indexOf('nodes')]).toBe('Node (no), v1, cluster-scoped');
  });

  it('a hook to test is a file', async () => {
    expect(await at('reconcile', 'test', '')).toMatchObject({ values: [], directive: 0 });
  });

  it('a type that is newer than the cache is found', async () => {
    expect((await at('watch', 'myapp')).values).toEqual([]);
    fixture.sandbox.apply([APPLES, apple('one', 'red')]);
    expect((await at('watch', 'myapp')).values).toEqual(['myapples']);
    expect((await at('query', '-n', 'shop', 'ma', '')).values).toEqual(['one']);
    expect((await at('watch', 'ma', '--changed', '.spec.')).values).toEqual(['.spec.color', '.spec.size']);
  });

  it('a view of the config file is offered after @', async () => {
    const file = path.join(fixture.folder, 'config.yaml');
    await writeFile(
      file,
      'views:\n  crashing: {words: pods}\ndefaults: {namespace: other}\nindexes: {zone: .spec.zone}\n',
    );
    expect((await at('query', '--config', file, '@')).values).toEqual(['@crashing']);
    expect((await at('query', '--config', file, 'pods', '')).values).toEqual(['db-1']);
    expect((await at('query', '--config', file, 'pods', '--eq', 'z')).values).toEqual(['zone=']);
  });

  it('names of Secrets are offered, and no value of one is in any answer or file', async () => {
    expect((await at('watch', '-n', 'shop', 'secrets', '')).values).toEqual(['login']);
    const kept = await filesBelow(path.join(OWN_CACHE, 'kubectl-informer'));
    expect(kept.length).toBeGreaterThan(1);
    const encoded = Buffer.from(SECRET_VALUE).toString('base64');
    for (const text of await Promise.all(kept.map((file) => readFile(file, 'utf8'))))
      expect(text.includes(SECRET_VALUE) || text.includes(encoded)).toBe(false);
  });
});

describe('values of flags', () => {
  it.each<[string[], string[]]>([
    [
      ['watch', 'pods', '--overflow', ''],
      ['block', 'coalesce', 'drop'],
    ],
    [['watch', 'pods', '--overflow=c'], ['coalesce']],
    [['watch', 'pods', '-o', 'ya'], ['yaml']],
    [['watch', 'pods', '-oya'], ['-oyaml']],
    [['watch', 'pods', '-o=ya'], ['yaml']],
    [
      ['query', 'pods', '-o', 'cs'],
      ['csv', 'csv='],
    ],
    [['query', 'pods', '-o', 'csv=NODE:.spec.nodeN'], ['csv=NODE:.spec.nodeName']],
    [['query', 'pods', '-o', 'jsonpath-as-json={.spec.nodeN'], ['jsonpath-as-json={.spec.nodeName']],
    [['query', 'pods', '--eq', 'lab'], ['label:']],
    [['query', 'pods', '--values', 'lab'], ['label:']],
    [['query', 'pods', '--eq', 'node='], []],
    [['query', 'pods', '--where', 'STA'], ['STATUS']],
    [['query', 'pods', '--where', '!(REST'], []],
    [['watch', 'pods', '--where', 'E'], ['EVENT']],
    [['watch', 'deploy', '--where', 'UP'], ['UP_TO_DATE']],
    [['watch', 'pods', '--where', 'obj'], []],
    [['query', 'pods', '--where', 'STATUS=='], []],
    [['query', 'componentst'], ['componentstatuses']],
    [['watch', 'componentst'], []],
    [
      ['watch', 'pods', '--on', 'added,'],
      ['added,modified', 'added,deleted', 'added,left'],
    ],
    [['watch', 'pods', '--for', 'rol'], ['rollout']],
    [['watch', '--scenario', 'node'], ['node-drain']],
    [['sandbox', '--scenario', 'node'], ['node-drain']],
    [
      ['watch', 'pods', '--no-noise='],
      ['true', 'false'],
    ],
    [['watch', '-n', 'sh'], ['shop']],
    [['watch', '-nsh'], ['-nshop']],
    [['watch', '--namespace', 'other,sh'], ['other,shop']],
    [['query', 'pods', '--eq', 'no'], ['node=']],
    [['query', 'pods', '--index', 'zone=.spec.zone', '--values', 'zo'], ['zone']],
    [['reconcile', 'deploy', '--owns', 'podt'], ['podtemplates']],
    [['reconcile', 'deploy', '--hook-mode', 'w'], ['warm']],
  ])('%j', async (line, expected) => {
    expect(await at(...line)).toMatchObject({ values: expected, fault: undefined });
  });

  it.each<[string[], string[]]>([
    [['watch', 'pods', '--changed', '.spec.nodeN'], ['.spec.nodeName']],
    [['watch', 'pods', '--changed', '.metadata.labels,.spec.nodeN'], ['.metadata.labels,.spec.nodeName']],
    [['watch', 'pods', '--ignore-changes', '.spec.conta'], ['.spec.containers[*]']],
    [['query', 'pods', '--sort-by', '-.spec.containers[*].imageP'], ['-.spec.containers[*].imagePullPolicy']],
    [['query', 'pods', '--index', 'pull=.spec.containers[0].imageP'], ['pull=.spec.containers[0].imagePullPolicy']],
    [['query', 'pods', '-o', 'jsonpath={.spec.nodeN'], ['jsonpath={.spec.nodeName']],
    [['query', 'pods', '-o', 'custom-columns=NODE:.spec.nodeN'], ['custom-columns=NODE:.spec.nodeName']],
    [['watch', 'pods', '--filter', 'obj'], ['object.']],
    [['watch', 'pods', '--filter', 'object.spec.nodeN'], ['object.spec.nodeName']],
    [['watch', 'pods', '--filter', 'object.spec.replicas>3&&object.spec.nodeN'], []],
    [['watch', 'pods', '--until', '!object.spec.nodeN'], []],
    [['watch', 'pods,deploy', '--changed', '.spec.nodeN'], ['.spec.nodeName']],
    [['watch', 'pods,deploy', '--changed', '.spec.repl'], ['.spec.replicas']],
    [['watch', 'pods', '--changed', '.spec.nosuch.'], []],
    [['watch', '--changed', '.spec.'], []],
  ])('fields of the types of the line: %j', async (line, expected) => {
    expect(await at(...line)).toMatchObject({ values: expected, directive: 6, fault: undefined });
  });

  it('where an expression over printed columns begins, they are offered, and nothing that is refused there', async () => {
    const { values, abouts, directive } = await at('query', 'pods', '--where', '');
    const shown = ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE', 'NOMINATED_NODE', 'READINESS_GATES'];
    expect({ values, directive }).toEqual({ values: [...shown, 'NAMESPACE'], directive: 6 });
    expect(abouts[values.indexOf('AGE')]).toBe('a duration: AGE < duration("1h")');
  });

  it('without a path, a path begins', async () => {
    const { values } = await at('watch', 'pods', '--changed', '');
    expect(values).toEqual(['.apiVersion', '.kind', '.metadata', '.spec', '.status']);
  });

  it('contexts, clusters and users are those of the kubeconfig, also several by commas', async () => {
    const file = path.join(fixture.folder, 'many');
    const names = ['blue', 'green'];
    const contexts = names.map((name) => ({ name, context: { cluster: `${name}-c`, user: `${name}-u` } }));
    const clusters = names.map((name) => ({ name: `${name}-c`, cluster: { server: 'https://127.0.0.1:1' } }));
    const users = names.map((name) => ({ name: `${name}-u`, user: {} }));
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Config', contexts, clusters, users }));
    const of = async (...line: string[]) => (await at('--kubeconfig', file, ...line)).values;
    expect(await of('watch', '--context', '')).toEqual(names);
    expect(await of('query', '--context', 'blue,')).toEqual(['blue,green']);
    expect(await of('serve', '--context', 'blue,')).toEqual([]);
    expect(await of('watch', '--cluster', 'b')).toEqual(['blue-c']);
    expect(await of('watch', '--user', 'g')).toEqual(['green-u']);
  });

  it.each([
    ['--kubeconfig', 0],
    ['--config', 0],
    ['--cache-dir', 16],
    ['--token', 4],
  ])('%s has the directive %i', async (flag, directive) => {
    expect(await at('watch', flag, '')).toMatchObject({ values: [], directive });
  });
});

describe('flags', () => {
  it('those of the command, without hidden ones and those that were given', async () => {
    expect((await at('watch', 'pods', '--over')).values).toEqual(['--overflow', '--overflow-buffer']);
    expect((await at('watch', 'pods', '--overflow', 'drop', '--over')).values).toEqual(['--overflow-buffer']);
    expect((await at('watch', '--filter', 'true', '--filt')).values).toEqual(['--filter']);
    expect((await at('watch', '--watch')).values).toEqual(['--watch-only']);
    expect((await at('--cont')).values).toEqual(['--context']);
    expect((await at('watch', '-')).values).toContain('-o');
    expect((await at('watch', '--hel')).values).toEqual(['--help']);
  });

  it('none after --', async () => {
    expect((await at('watch', '--', '--over')).values).toEqual([]);
  });
});

describe('where nothing can be known', () => {
  it.each<[string, string[], Record<string, string>]>([
    ['there is no kubeconfig', ['watch', 'po'], { KUBECONFIG: '/nonexistent' }],
    ['nothing listens', ['watch', '--server', 'https://127.0.0.1:1', 'po'], {}],
    ['the context does not exist', ['watch', '--context', 'nosuch', 'po'], {}],
    ['the line cannot be read', ['watch', '--qps', 'many', 'po'], {}],
    ['the sandbox does not run yet', ['watch', '--sandbox', 'po'], {}],
  ])('there are no candidates, and a reason: %s', async (_, line, env) => {
    const { values, directive, fault } = await completing(line, { ...fixture.env, ...env });
    expect({ values, directive, fault }).toEqual({ values: [], directive: 4, fault: expect.any(Error) });
  });

  it('commands and flags need no cluster', async () => {
    const env = { KUBECONFIG: '/nonexistent' };
    expect((await completing(['wat'], env)).values).toEqual(['watch']);
    expect((await completing(['serve', 'stat'], env)).values).toEqual(['status']);
    expect((await completing(['watch', 'pods', '--over'], env)).values).toHaveLength(2);
  });

  it('the types of the cache are offered while the server is away', async () => {
    await using other = await startFixture([pod('a')]);
    expect((await completing(['watch', 'podt'], other.env)).values).toEqual(['podtemplates']);
    expect((await completing(['watch', 'pods', '--changed', '.spec.nodeN'], other.env)).values).toHaveLength(1);
    await other.sandbox.stop();
    expect((await completing(['watch', 'podt'], other.env)).values).toEqual(['podtemplates']);
    expect((await completing(['watch', 'pods', '--changed', '.spec.nodeN'], other.env)).values).toHaveLength(1);
  });

  it('a server that does not answer ends with the signal', async () => {
    await using other = await startFixture([pod('a')]);
    other.sandbox.faults.add({ fault: { kind: 'slow', ms: 60_000 }, match: { path: '/api' } });
    const { values, fault } = await completing(['watch', 'po'], other.env, AbortSignal.timeout(300));
    expect({ values, fault }).toEqual({ values: [], fault: expect.anything() });
  });

  it('nothing is written to the cluster', async () => {
    await using other = await startFixture([pod('a')]);
    for (const line of [
      ['pods', ''],
      ['secrets', ''],
      ['pods', '--changed', '.sp'],
      ['-n', ''],
    ])
      expect((await completing(['watch', '-n', 'shop', ...line], other.env)).fault).toBeUndefined();
    expect(other.sandbox.requests.size).toBeGreaterThan(4);
    expect(new Set([...other.sandbox.requests].map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});

describe.skipIf(process.platform === 'win32')('the names that a running serve holds', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'held-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Completes a line beside a serve that was started with these flags, and answers with `text`. */
  async function beside(line: string[], { text = '', end = { exitCode: 0 } as AnswerEnd, started = {}, env = {} }) {
    const kubeconfig = path.join(folder, 'not-yaml');
    await writeFile(kubeconfig, '{ this cannot be read');
    const own = { HOME: OWN_CACHE, XDG_CACHE_HOME: OWN_CACHE, KUBECONFIG: kubeconfig, XDG_RUNTIME_DIR: folder, ...env };
    const questions: string[] = [];
    await using _ = await fakeServe(own, {
      about: { record: connectionRecord(started, own) },
      answer: async ({ words = [], given = {} }, outlet) => {
        const { namespace, name } = given;
        questions.push([...words, ...(namespace?.values ?? []), ...(name?.values ?? [])].join(' '));
        await outlet.write(text);
        return end;
      },
    });
    const { values, fault } = await completing(line, own);
    return { values, questions, fault: fault !== undefined };
  }

  const PODS = { text: 'pod/web-1\npod/web-2\n' };

  it.each<[string[], string, string[]]>([
    [['watch', 'po', '-n', 'shop', ''], 'po shop', ['web-1', 'web-2']],
    [['query', 'pods', 'web-1', 'we'], 'pods ^we', ['web-2']],
    [['watch', 'pod/web'], 'pod ^web', ['pod/web-1', 'pod/web-2']],
  ])('need neither the kubeconfig nor the cluster: %j', async (line, question, values) => {
    expect(await beside(line, PODS)).toEqual({ values, questions: [question], fault: false });
  });

  it('come from a serve of the same context only; of several contexts the first counts', async () => {
    const started = { context: 'blue' };
    const found = { values: ['web-1', 'web-2'], questions: ['pods'], fault: false };
    const none = { values: [], questions: [], fault: true };
    expect(await beside(['watch', '--context', 'blue', 'pods', ''], { ...PODS, started })).toEqual(found);
    expect(await beside(['watch', '--context', 'blue,red', 'pods', ''], { ...PODS, started })).toEqual(found);
    expect(await beside(['watch', '--context', 'red', 'pods', ''], { ...PODS, started })).toEqual(none);
    expect(await beside(['watch', '--context', 'blue', '--sandbox', 'pods', ''], { ...PODS, started })).toEqual(none);
  });

  it('come from the cluster where the serve cannot say them', async () => {
    const asked = ['watch', '-n', 'shop', 'pods', 'web-'];
    const { values, questions } = await beside(asked, { end: { exitCode: 2 }, env: fixture.env });
    expect([values, questions]).toEqual([['web-1', 'web-2'], ['pods shop ^web-']]);
  });
});

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}
