import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

const DIST = path.resolve(import.meta.dirname, '../../dist');
const SPY = pathToFileURL(path.resolve(import.meta.dirname, '../support/loaded-modules.mjs')).href;

/** Text that only the built code of a library contains. */
const LIBRARIES = {
  'oclif’s help': /\bflagHelpLabel\b/,
  'oclif’s Config': /\bcommand_not_found\b/,
  undici: /\bllhttp/,
  'client-node': /\basync applyToHTTPSOptions\(/,
  CEL: /\bTypeChecker\b/,
  'js-yaml': /\bYAMLException\b/,
  sandbox: /SelfSubjectRulesReview/,
  'prom-client': /\bobserveWithoutExemplar\b/,
};

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Serves of other programs are not looked for. */
const ownEnv = () => ({ ...fixture.env, XDG_RUNTIME_DIR: fixture.folder });

/** The files of the package that a command line loads, and which libraries are in them. */
async function loadedBy(...line: string[]) {
  const { stderr } = await run(line, { env: { ...ownEnv(), NODE_OPTIONS: `--import=${SPY}` } });
  const urls: string[] = JSON.parse(/^loaded: (.*)$/m.exec(stderr)?.[1] ?? '[]');
  const chunks = urls.filter((url) => url.includes('/dist/')).map((url) => readFileSync(fileURLToPath(url), 'utf8'));
  const found = Object.entries(LIBRARIES).filter(([, marker]) => chunks.some((text) => marker.test(text)));
  return { urls, libraries: found.map(([name]) => name), bytes: chunks.reduce((sum, text) => sum + text.length, 0) };
}

describe('a command loads what it needs, and nothing else', () => {
  it.each([[['--version']], [['--help']], [['watch', '--help']], [['help', 'query']]])(
    '%j is answered before anything is loaded',
    async (line) => {
      const { libraries, bytes } = await loadedBy(...line);
      expect(libraries).toEqual([]);
      expect(bytes).toBeLessThan(10_000);
    },
  );

  it.each<[string[], string[]]>([
    [['watch', 'pods', '-A', '--once'], []],
    [['watch', 'pods', '-A', '--once', '-o', 'json'], []],
    [['query', 'pods', '-A', '--count'], []],
    [['watch', 'pods', '-A', '--once', '--filter', 'object.metadata.name == "x"'], ['CEL']],
  ])('%j', async (line, expected) => {
    expect((await loadedBy(...line)).libraries.sort()).toEqual(expected);
  });

  it('help that was not set by the build needs no library either', async () => {
    expect((await loadedBy('watch', '--help', '--help')).libraries).toEqual([]);
  });

  it('a start is few files: what every command needs is two of them', async () => {
    const { urls } = await loadedBy('version');
    const own = urls.filter((url) => url.includes('/dist/')).map((url) => path.basename(fileURLToPath(url)));
    expect(own.sort()).toEqual([
      'commands-version.js',
      'core.js',
      'main.js',
      'prebuilt-help.js',
      'rolldown-runtime.js',
      'start.js',
    ]);
  });

  it.each([
    [
      ['query', 'pods', '-A'],
      ['answers', 'asking', 'client', 'cluster', 'reading'],
    ],
    [
      ['watch', 'pods', '-A', '--once'],
      ['asking', 'client', 'cluster', 'reading', 'watching'],
    ],
    [
      ['__complete', 'query', 'pods', '-A', ''],
      ['asking', 'cli-completion-words', 'client', 'complete'],
    ],
  ])('%j reads few files more, and none that only others need', async (line, more) => {
    const { urls } = await loadedBy(...line);
    const own = urls.filter((url) => url.includes('/dist/')).map((url) => path.basename(fileURLToPath(url), '.js'));
    const always = ['core', 'main', 'prebuilt-help', 'rolldown-runtime', 'start'];
    expect(own.filter((file) => !always.includes(file)).sort()).toEqual(more);
  });

  it('the answer of a serve needs no file more than a start', async () => {
    await using serve = new Cli(['serve', 'namespaces'], { env: ownEnv() });
    await serve.until(({ stderr }) => stderr.includes('ready: '), 'it is ready');
    const { urls } = await loadedBy('query', 'namespaces');
    const own = urls.filter((url) => url.includes('/dist/')).map((url) => path.basename(fileURLToPath(url)));
    expect(own.sort()).toEqual(['core.js', 'main.js', 'prebuilt-help.js', 'rolldown-runtime.js', 'start.js']);
  });

  it('the built files are ASCII, and take Node’s modules without an import', async () => {
    for (const file of (await readdir(DIST)).filter((name) => name.endsWith('.js'))) {
      const text = readFileSync(path.join(DIST, file), 'utf8');
      expect([file, /[^\0-\x7f]/.test(text), /^import .*["']node:/m.test(text)]).toEqual([file, false, false]);
    }
  });

  it.each(['index', 'cache', 'sandbox', 'testing'])(
    'the library’s entry %s loads nothing of a command, nor of oclif',
    async (entry) => {
      const script = path.join(fixture.folder, `${entry}.mjs`);
      await writeFile(script, `await import(${JSON.stringify(pathToFileURL(path.join(DIST, `${entry}.js`)).href)});`);
      const { stderr } = await run([], { script, env: { NODE_OPTIONS: `--import=${SPY}` } });
      const urls: string[] = JSON.parse(/^loaded: (.*)$/m.exec(stderr)?.[1] ?? '[]');
      const chunks = urls
        .filter((url) => url.includes('/dist/'))
        .map((url) => readFileSync(fileURLToPath(url), 'utf8'));
      expect(chunks.length).toBeGreaterThan(0);
      expect(chunks.filter((text) => /\bUnparsedCommand\b|\boclif\b/.test(text))).toEqual([]);
    },
  );

  it('knows each library by its text', async () => {
    const chunks = (await readdir(DIST))
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(path.join(DIST, file), 'utf8'));
    for (const [name, marker] of Object.entries(LIBRARIES))
      expect([name, chunks.some((text) => marker.test(text))]).toEqual([name, true]);
  });

  it('keeps what was compiled in the user’s cache directory', async () => {
    const XDG_CACHE_HOME = await mkdtemp(path.join(tmpdir(), 'informer-cache-'));
    await run(['watch', 'pods', '-A', '--once'], { env: { ...fixture.env, XDG_CACHE_HOME } });
    const [folder = ''] = await readdir(path.join(XDG_CACHE_HOME, 'kubectl-informer', 'compiled'));
    expect(folder).toContain(process.version);
  });

  it.skipIf(process.platform === 'win32')(
    'neither uses nor fills a cache of compiled code that others could write to',
    async () => {
      const XDG_CACHE_HOME = await mkdtemp(path.join(tmpdir(), 'informer-cache-'));
      const lax = path.join(XDG_CACHE_HOME, 'kubectl-informer', 'compiled');
      await mkdir(lax, { recursive: true });
      await chmod(lax, 0o777);
      expect((await run(['watch', 'pods', '-A', '--once'], { env: { ...fixture.env, XDG_CACHE_HOME } })).code).toBe(0);
      expect(await readdir(lax)).toEqual([]);
    },
  );

  it.skipIf(process.platform === 'win32')('keeps its cache for its owner alone, whatever the umask is', async () => {
    const XDG_CACHE_HOME = await mkdtemp(path.join(tmpdir(), 'informer-cache-'));
    const before = process.umask(0);
    try {
      await run(['watch', 'pods', '-A', '--once'], { env: { ...fixture.env, XDG_CACHE_HOME } });
    } finally {
      process.umask(before);
    }
    const folders = ['kubectl-informer', 'kubectl-informer/compiled', 'kubectl-informer/discovery'];
    const modes = await Promise.all(
      folders.map(async (name) => (await stat(path.join(XDG_CACHE_HOME, name))).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o700, 0o700]);
  });
});
