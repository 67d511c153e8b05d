import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptOf } from '../../src/kit/kept-code.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

const DIST = path.resolve(import.meta.dirname, '../../dist');
const SPY = pathToFileURL(path.resolve(import.meta.dirname, '../support/loaded-modules.mjs')).href;

/** Text that only the built code of a library contains. */
const LIBRARIES = {
  'oclif’s help': /\bflagHelpLabel\b/,
  'oclif’s Config': /\bcommand_not_found\b/,
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
  // files that are loaded as scripts are not seen
  const NODE_DISABLE_COMPILE_CACHE = '1';
  const { stdout, stderr } = await run(line, {
    env: { ...ownEnv(), NODE_OPTIONS: `--import=${SPY}`, NODE_DISABLE_COMPILE_CACHE },
  });
  const urls: string[] = JSON.parse(/^loaded: (.*)$/m.exec(stderr)?.[1] ?? '[]');
  const chunks = urls.filter((url) => url.includes('/dist/')).map((url) => readFileSync(fileURLToPath(url), 'utf8'));
  const found = Object.entries(LIBRARIES).filter(([, marker]) => chunks.some((text) => marker.test(text)));
  return {
    urls,
    stdout,
    libraries: found.map(([name]) => name),
    bytes: chunks.reduce((sum, text) => sum + text.length, 0),
  };
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

  it('the history of a recording needs nothing that writes one, and no reader of archives', async () => {
    const night = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');
    const { urls } = await loadedBy('history', 'deploy/web', '-n', 'shop', '--from', night);
    expect(urls.some((url) => url.endsWith('record-recording.js'))).toBe(true);
    expect(urls.filter((url) => /k8shark|recorder|recording-writer/.test(url))).toEqual([]);
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
      [
        'asking',
        'cli-completion-open-cluster',
        'cli-completion-words',
        'client',
        'complete',
        'serve-client-serve-names',
      ],
    ],
    [
      ['__complete', 'query', 'pods', '--'],
      ['cli-completion-words', 'complete', 'serve-client-serve-names'],
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

  it('names that a serve holds are completed without the files that ask a cluster', async () => {
    await using serve = new Cli(['serve', 'namespaces'], { env: ownEnv() });
    await serve.until(({ stderr }) => stderr.includes('ready: '), 'it is ready');
    const { urls, stdout } = await loadedBy('__complete', 'query', 'namespaces', 'sho');
    expect(stdout).toBe('shop\n:4\n');
    const own = urls.filter((url) => url.includes('/dist/')).map((url) => path.basename(fileURLToPath(url), '.js'));
    expect(own.filter((file) => ['asking', 'client', 'cli-completion-open-cluster'].includes(file))).toEqual([]);
    expect(own).toContain('complete');
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

  it.each([
    ['query', ['query', 'pods', '-A', '-o', 'name']],
    ['watch', ['watch', 'pods', '-A', '--once', '--where', 'READY != ""', '-o', 'name']],
    ['__complete', ['__complete', 'query', 'pods', '-A', '']],
  ])('%s keeps the code of its functions, and says the same with it and without', async (command, line) => {
    const XDG_CACHE_HOME = await mkdtemp(path.join(tmpdir(), 'informer-cache-'));
    const env = { ...fixture.env, XDG_RUNTIME_DIR: XDG_CACHE_HOME, XDG_CACHE_HOME };
    const plain = await run(line, { env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' } });
    const compiled = path.join(XDG_CACHE_HOME, 'kubectl-informer', 'compiled');
    expect(await readdir(compiled).catch(() => [])).toEqual([]);
    const first = await run(line, { env });
    const folder = path.join(compiled, `${process.version}-${process.arch}-${command}`);
    const times = async () =>
      Promise.all((await readdir(folder)).map(async (file) => (await stat(path.join(folder, file))).mtimeMs));
    let written = await times();
    const second = await run(line, { env });
    let after = await times();
    // on a machine that is busy the first run is long, and a shorter one keeps its own code instead
    for (let runs = 2; runs < 6 && `${after}` !== `${written}`; runs++) {
      written = after;
      await run(line, { env });
      after = await times();
    }
    expect(plain.code).toBe(0);
    expect([first.stdout, first.stderr, second.stdout, second.stderr]).toEqual([
      plain.stdout,
      plain.stderr,
      plain.stdout,
      plain.stderr,
    ]);
    expect(written.length).toBeGreaterThan(5);
    expect(after).toEqual(written); // nothing was compiled again
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 1000)],
    ['empty', () => Buffer.alloc(0)],
    ['overwritten', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 160), Buffer.alloc(bytes.length - 160, 7)])],
  ])('kept code that is %s is not run, and is replaced', async (_, damaged) => {
    const XDG_CACHE_HOME = await mkdtemp(path.join(tmpdir(), 'informer-cache-'));
    const env = { ...fixture.env, XDG_RUNTIME_DIR: XDG_CACHE_HOME, XDG_CACHE_HOME };
    const ask = () => run(['query', 'pods', '-A', '-o', 'name'], { env });
    const first = await ask();
    const folder = path.join(
      XDG_CACHE_HOME,
      'kubectl-informer',
      'compiled',
      `${process.version}-${process.arch}-query`,
    );
    const places = (await readdir(folder)).map((file) => path.join(folder, file));
    const lengths = places.map((place) => readFileSync(place).length);
    await Promise.all(places.map((place) => writeFile(place, damaged(readFileSync(place)))));
    const second = await ask();
    expect([second.code, second.stdout, second.stderr]).toEqual([0, first.stdout, first.stderr]);
    for (const [at, place] of places.entries()) {
      const bytes = readFileSync(place);
      expect(bytes.length).toBeGreaterThan((lengths[at] as number) / 2);
      expect(bytes.subarray(160).every((byte) => byte === 7)).toBe(false);
    }
  });

  it('every built file can be run as a script, and none is in a ring', async () => {
    const files = (await readdir(DIST)).filter((name) => name.endsWith('.js'));
    const texts = new Map(files.map((file) => [file, readFileSync(path.join(DIST, file), 'latin1')]));
    const imported = (file: string) =>
      [...(texts.get(file) ?? '').matchAll(/^import (?:.* from )?"\.\/(.*)";$/gm)].map(([, name = '']) => name);
    const reach = (file: string, before: readonly string[]): void => {
      expect(before).not.toContain(file);
      for (const next of imported(file)) reach(next, [...before, file]);
    };
    for (const [file, text] of texts) {
      expect(() => new Script(scriptOf(text)), file).not.toThrow();
      reach(file, []);
    }
  });

  it('what a built file exports is never set again, but where it is marked', async () => {
    for (const file of (await readdir(DIST)).filter((name) => name.endsWith('.js'))) {
      const text = readFileSync(path.join(DIST, file), 'latin1');
      if (text.includes('import { __esmMin')) continue;
      const names = [...text.matchAll(/^export \{(.*)\};$/gm)].flatMap(([, list = '']) => list.split(','));
      const variables = names
        .map((each) => each.trim().split(' as ')[0] as string)
        .filter((name) => name && new RegExp(`^(let|var) ${name.replaceAll('$', '\\$')}\\b`, 'm').test(text));
      for (const name of variables) {
        const assigned = text.match(
          new RegExp(`(?<![.\\w$])${name.replaceAll('$', '\\$')} (\\?\\?|\\|\\||[+-])?= `, 'g'),
        );
        expect([file, name, assigned?.length ?? 0]).toEqual([
          file,
          name,
          expect.toSatisfy((count: number) => count <= 1),
        ]);
      }
    }
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
