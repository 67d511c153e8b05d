import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { type Fixture, pod, startFixture } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';
import { OWN_CACHE } from '../support/own-cache.ts';
import { fileIn, installedNames, noShell, Shell, type ShellName } from '../support/shell.ts';

const COMPLETE = path.resolve(import.meta.dirname, '../../bin/complete.js');
const bin = installedNames();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  bin[Symbol.dispose]();
  await fixture[Symbol.asyncDispose]();
});

const complete = (line: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(line, { script: COMPLETE, env: { ...fixture.env, ...env } });

describe('kubectl_complete-informer', () => {
  it('prints candidates and a directive, and ends with 0', async () => {
    expect(await complete(['watch', 'podt'])).toMatchObject({
      stdout: 'podtemplates\tPodTemplate, v1\n:4\n',
      stderr: '',
      code: 0,
    });
  });

  it.each<[string, Record<string, string>]>([
    ['there is no kubeconfig', { KUBECONFIG: '/nonexistent', HOME: '/nonexistent' }],
    ['the kubeconfig is damaged', { KUBECONFIG: COMPLETE }],
    ['the cluster is away', { KUBECTL_INFORMER_SERVER: 'https://127.0.0.1:1' }],
    ['there is no folder to write to', { XDG_CACHE_HOME: COMPLETE, KUBECTL_INFORMER_SERVER: 'https://127.0.0.1:1' }],
  ])('says nothing where nothing can be known: %s', async (_, env) => {
    expect(await complete(['watch', 'po'], env)).toMatchObject({ stdout: ':4\n', stderr: '', code: 0 });
  });

  it('says why in the file of BASH_COMP_DEBUG_FILE', async () => {
    const file = path.join(fixture.folder, 'debug');
    const env = { KUBECTL_INFORMER_CONTEXT: 'nosuch', BASH_COMP_DEBUG_FILE: file };
    expect((await complete(['watch', 'po'], env)).stdout).toBe(':4\n');
    expect(await readFile(file, 'utf8')).toBe('kubectl-informer completion: context "nosuch" does not exist\n');
  });

  it('ends when its time is up, although a login plugin still runs', async () => {
    const plugin = fileIn(fixture.folder, 'plugin.sh', '#!/bin/sh\necho waiting >&2\nexec sleep 60\n');
    const kubeconfig = JSON.parse(await readFile(fixture.env.KUBECONFIG, 'utf8').then(jsonOf));
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: [plugin],
      interactiveMode: 'Never',
    };
    kubeconfig.users[0].user = { exec };
    kubeconfig.clusters[0].cluster.server = kubeconfig.clusters[0].cluster.server.replace('127.0.0.1', 'localhost');
    const KUBECONFIG = fileIn(fixture.folder, 'exec-kubeconfig', JSON.stringify(kubeconfig));
    expect(await complete(['watch', 'po'], { KUBECONFIG })).toMatchObject({ stdout: ':4\n', stderr: '', code: 0 });
  });

  it('offers the names that a running serve holds', async () => {
    const env = { ...fixture.env, XDG_RUNTIME_DIR: fixture.folder };
    const script = [process.execPath, path.resolve(COMPLETE, '../run.js'), 'serve', 'pods'];
    const serve = execFile(script[0] as string, script.slice(1), {
      env: { ...process.env, ...env, XDG_CACHE_HOME: OWN_CACHE },
    });
    try {
      let said = '';
      await new Promise<void>((resolve) => {
        serve.stderr?.on('data', (text: string) => {
          said += text;
          if (/^ready:/m.test(said)) resolve();
        });
      });
      fixture.sandbox.requests.clear();
      const { stdout } = await complete(['watch', 'pods', '-n', 'shop', 'web-'], env);
      expect(stdout).toBe('web-1\nweb-2\n:4\n');
      expect(fixture.sandbox.requests.matching(/\/pods\?.*limit=500/)).toEqual([]);
      const values = async (...line: string[]) => (await complete(['query', 'pods', '-A', ...line], env)).stdout;
      expect(await values('--eq', 'namespace=s')).toBe('namespace=shop\t2 objects\n:4\n');
      expect(await values('--eq', 'label:app=')).toMatch(/^label:app=web\t\d objects?\n/m);
      expect(await values('--in', 'namespace=shop,')).not.toContain('shop,shop');
      expect(await values('--index', 'n=.metadata.name', '--prefix', 'n=web-')).toBe(
        'n=web-1\t1 object\nn=web-2\t1 object\n:4\n',
      );
    } finally {
      serve.kill();
    }
  });
});

/** A kubeconfig of the fixture, which is YAML or JSON. */
async function jsonOf(text: string): Promise<string> {
  const { load } = await import('js-yaml');
  return JSON.stringify(load(text));
}

const kubectl = findKubectl();
describe.skipIf('missing' in kubectl)(`through kubectl${'missing' in kubectl ? ` (${kubectl.missing})` : ''}`, () => {
  it.each<[string[], string]>([
    [['wat'], 'watch\tStream every change to resources, for as long as you like\n:4\n'],
    [['watch', 'podt'], 'podtemplates\tPodTemplate, v1\n:4\n'],
    [['watch', 'pods,podt'], 'pods,podtemplates\tPodTemplate, v1\n:4\n'],
    [['watch', 'pods', '-n', 'sho'], 'shop\n:4\n'],
    [['watch', '-n', 'shop', 'pod/web-1', 'pod/'], 'pod/web-2\n:4\n'],
    [['watch', 'pods', '--overflow=co'], 'coalesce\n:4\n'],
    [
      ['watch', 'pods', '--changed', '.spec.conta'],
      '.spec.containers[*]\tThe containers of the pod, at least one. They cannot be added or removed later.\n:6\n',
    ],
    [['reconcile', 'pods', '--hook', ''], ':0\n'],
  ])('%j', async (line, expected) => {
    if ('missing' in kubectl) return;
    const env = { ...fixture.env, PATH: `${bin.folder}:${process.env.PATH}`, XDG_CACHE_HOME: OWN_CACHE };
    const { code, stdout } = await runKubectl(kubectl.path, ['__complete', 'informer', ...line], { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
  });
});

/** A shell that prints the words of each line for kubectl-informer, in place of running it. */
const PRINTER = '#!/bin/sh\nprintf RAN\nfor word; do printf " <%s>" "$word"; done\necho .\n';
const LOAD: Record<ShellName, string> = {
  bash: 'source <(REAL completion bash)',
  zsh: 'autoload -U compinit; compinit -D -u; source <(REAL completion zsh)',
  fish: 'REAL completion fish | source',
};

describe.each(['bash', 'zsh', 'fish'] as const)('in a %s', (name) => {
  const missing = noShell(name);

  it.skipIf(missing)(
    `TAB completes words${missing ? ` (${missing})` : ''}`,
    async () => {
      const real = path.join(bin.folder, 'kubectl-informer');
      const folder = path.join(fixture.folder, name);
      await promisify(execFile)('mkdir', ['-p', folder]);
      await writeFile(
        path.join(folder, 'kubectl-informer'),
        PRINTER.replace('\n', `\n[ "$1" != __complete ] || exec '${real}' "$@"\n`),
        { mode: 0o755 },
      );
      await writeFile(path.join(folder, 'my-hook.ts'), '');
      const env = { ...fixture.env, PATH: `${folder}:${bin.folder}:${process.env.PATH}`, XDG_CACHE_HOME: OWN_CACHE };
      await using shell = new Shell(name, { env });
      shell.type(`cd '${folder}'; ${LOAD[name].replace('REAL', `'${real}'`)}; echo lo""aded\r`);
      await shell.until((text) => /^loaded/m.test(text), 'end of loading');
      const rows: readonly (readonly [typed: string, words: string])[] = [
        ['wat', '<watch>'],
        ['watch podt', '<watch> <podtemplates>'],
        ['watch pods,podt', '<watch> <pods,podtemplates>'],
        ['watch -n sho', '<watch> <-n> <shop>'],
        ['watch -n other pod/d', '<watch> <-n> <other> <pod/db-1>'],
        ['watch pods --overflow=co', '<watch> <pods> <--overflow=coalesce>'],
        ['watch pods --overflow-b', '<watch> <pods> <--overflow-buffer>'],
        ['watch pods --on added,le', '<watch> <pods> <--on> <added,left>'],
        ['query pods --sort-by -.spec.nodeN', '<query> <pods> <--sort-by> <-.spec.nodeName>'],
        ['reconcile pods --hook my-h', '<reconcile> <pods> <--hook> <my-hook.ts>'],
        ['watch nosuchty', '<watch> <nosuchty>'],
        [
          'watch po --server=https://127.0.0.1:1 --context no',
          '<watch> <po> <--server=https://127.0.0.1:1> <--context> <no>',
        ],
      ];
      for (const [typed, words] of rows) {
        shell.type(`kubectl-informer ${typed}\t`);
        shell.type('\r');
        await shell.until((text) => text.includes(`RAN ${words}.`), `"RAN ${words}." after ${typed}`);
      }
    },
    300_000,
  );
});

it('the scripts name no path, and are the same wherever they are printed', async () => {
  for (const name of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await run(['completion', name]);
    expect(code).toBe(0);
    expect(stdout).toContain(`completion ${name}`);
    expect(stdout).not.toMatch(/\/(home|work|root)\//);
    await using other = await startFixture([pod('a')]);
    expect((await run(['completion', name], { env: other.env })).stdout).toBe(stdout);
  }
});
