import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageOf } from '../../src/serve/ui/page-text.ts';
import { krewFaults, type Manifest } from '../../tools/release/krew.mjs';
import { Cli } from '../support/cli.ts';
import { startFixture } from '../support/fixture.ts';
import { ROOT } from './packed.ts';

const VERSION: string = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version;
const KREW = `kubectl-informer-krew-v${VERSION}.tar.gz`;

let folder: string;
let out: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'release-'));
  out = path.join(folder, 'out');
  const ended = release(out);
  if (ended.status !== 0) throw new Error(ended.stderr);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const release = (...to: string[]) =>
  spawnSync(process.execPath, [path.join(ROOT, 'tools/release.mjs'), '--out', ...to], { encoding: 'utf8' });
const textOf = (name: string) => readFileSync(path.join(out, name), 'utf8');
const sha256 = (name: string) =>
  createHash('sha256')
    .update(readFileSync(path.join(out, name)))
    .digest('hex');

describe('npm run release', () => {
  it('makes these files and no others, and the right sum of each', () => {
    const names = ['Dockerfile', 'informer.yaml', `kubectl-informer-${VERSION}.tgz`, KREW, 'kubectl-informer.mjs'];
    const summed = [...names, 'sbom.cdx.json'].sort();
    expect(readdirSync(out).sort()).toEqual([...summed, 'SHA256SUMS'].sort());
    expect(textOf('SHA256SUMS')).toBe(summed.map((name) => `${sha256(name)}  ${name}\n`).join(''));
  });

  it('writes into no folder that has files already', () => {
    const { status, stderr } = release(out);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `error: ${out} is not empty\nhint: name a folder that does not exist yet\n`,
    });
  });

  it.skipIf(Number(process.versions.node.split('.')[0]) > 24)(
    'refuses, before it writes anything, a Node that cannot make executables',
    () => {
      const none = path.join(folder, 'none');
      const { status, stderr } = release(none, '--executable', process.execPath);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: `error: ${process.execPath} cannot make executables\nhint: name a program of Node 26 or newer\n`,
      });
      expect(readdirSync(none)).toEqual([]);
    },
  );

  it('makes an image that runs the file, as a user that is not root', () => {
    const lines = textOf('Dockerfile').split('\n');
    expect(lines).toContain('USER 65532:65532');
    expect(lines).toContain('ENTRYPOINT ["kubectl-informer"]');
    const copied = lines.filter((line) => /^(COPY|ADD) /.test(line)).flatMap((line) => line.split(' ').slice(2, -1));
    expect(copied).toEqual(['kubectl-informer.mjs']);
  });
});

describe('the bill of materials', () => {
  it('has what CycloneDX 1.5 asks for', () => {
    const bill = JSON.parse(textOf('sbom.cdx.json'));
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const own = bill.metadata.component;
    expect(own).toMatchObject({ type: 'application', name: 'kubectl-informer', version: VERSION });
    const parts: Record<string, unknown>[] = [own, ...bill.components];
    for (const part of parts) {
      expect(part).toMatchObject({ name: expect.stringMatching(/^[\w.-]+$/), version: expect.stringMatching(/^\d/) });
      const name = part.group === undefined ? part.name : `${String(part.group).replace('@', '%40')}/${part.name}`;
      expect(part.purl).toBe(`pkg:npm/${name}@${part.version}`);
      expect(part['bom-ref']).toBe(part.purl);
      expect(part.licenses).toEqual([{ license: { id: expect.stringMatching(/^[\w.+-]+$/) } }]);
    }
    const refs = bill.components.map((part: { 'bom-ref': string }) => part['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(bill.dependencies[0]).toEqual({ ref: own['bom-ref'], dependsOn: refs });
  });

  it('names every package whose code is in the built files, with its version, and a licence text for each', () => {
    const files = readdirSync(path.join(ROOT, 'dist')).filter((file) => file.endsWith('.js'));
    const built = files.map((file) => readFileSync(path.join(ROOT, 'dist', file), 'utf8')).join('\n');
    const bundled = new Set(
      [...built.matchAll(/^\/\/#? ?(?:region )?(node_modules\/(?:.*\/node_modules\/)?(?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(
        (match) => match[1] as string,
      ),
    );
    expect(bundled.size).toBeGreaterThan(20);
    const licences = readFileSync(path.join(ROOT, 'dist/THIRD-PARTY-LICENCES.txt'), 'utf8');
    const purls = JSON.parse(textOf('sbom.cdx.json')).components.map(({ purl }: { purl: string }) => purl);
    for (const place of bundled) {
      const { name, version } = JSON.parse(readFileSync(path.join(ROOT, place, 'package.json'), 'utf8'));
      expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(licences).toContain(`${name} ${version} (`);
    }
  });

  it('names no compiler, which is not a part of the program, and the notices of all parts are with the licences', () => {
    const names = JSON.parse(textOf('sbom.cdx.json')).components.map(({ name }: { name: string }) => name);
    expect(names).not.toContain('typescript');
    const licences = readFileSync(path.join(ROOT, 'dist/THIRD-PARTY-LICENCES.txt'), 'utf8');
    for (const { group, name } of JSON.parse(textOf('sbom.cdx.json')).components) {
      const folder = path.join(ROOT, 'node_modules', group ?? '', name);
      const notice = existsSync(folder) && readdirSync(folder).find((file) => /^notice/i.test(file));
      if (notice) expect(licences).toContain(readFileSync(path.join(folder, notice), 'utf8'));
    }
  });

  it('is the one in the package', () => {
    expect(textOf('sbom.cdx.json')).toBe(readFileSync(path.join(ROOT, 'dist/sbom.cdx.json'), 'utf8'));
  });
});

describe('the manifest for krew', () => {
  const manifest = () => load(textOf('informer.yaml')) as Manifest;
  const entries = () =>
    execFileSync('tar', ['-tzf', path.join(out, KREW)], { encoding: 'utf8' })
      .trim()
      .split('\n');

  it('keeps the rules of krew, and names the archive with its sum', () => {
    expect(krewFaults(manifest(), entries())).toEqual([]);
    const { version, platforms } = manifest().spec;
    expect(version).toBe(`v${VERSION}`);
    expect(platforms).toHaveLength(4);
    for (const { uri, sha256: sum } of platforms) {
      expect(uri.endsWith(`/releases/download/v${VERSION}/${KREW}`)).toBe(true);
      expect(sum).toBe(sha256(KREW));
    }
  });

  it.each<[string, (broken: Manifest) => void]>([
    ['spec.version', ({ spec }) => (spec.version = VERSION)],
    ['metadata.name', ({ metadata }) => (metadata.name = 'kube informer')],
    ['spec.shortDescription', ({ spec }) => (spec.shortDescription = 'x'.repeat(51))],
    ['sha256', ({ spec }) => (spec.platforms[0].sha256 = 'abc')],
    ['files', ({ spec }) => (spec.platforms[0].files[0].from = 'missing')],
    ['bin', ({ spec }) => (spec.platforms[0].bin = '../sh')],
    ['selector', ({ spec }) => (spec.platforms[0].selector = { matchLabels: { cpu: 'amd64' } })],
    ['two for one system', ({ spec }) => (spec.platforms[1].selector = spec.platforms[0].selector)],
  ])('is refused for a fault of %s', (words, breaks) => {
    const broken = structuredClone(manifest());
    // YAML writes what the platforms share once
    broken.spec.platforms = JSON.parse(JSON.stringify(broken.spec.platforms));
    breaks(broken);
    expect(krewFaults(broken, entries()).join()).toContain(words);
  });

  it('installs a program that runs: one link to the file, as krew makes it', () => {
    const store = path.join(folder, 'store');
    const bin = path.join(folder, 'bin');
    mkdirSync(store);
    mkdirSync(bin);
    execFileSync('tar', ['-xzf', path.join(out, KREW), '-C', store]);
    symlinkSync(path.join(store, 'kubectl-informer.mjs'), path.join(bin, 'kubectl-informer'));
    expect(run(path.join(bin, 'kubectl-informer'), 'version')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`kubectl-informer ${VERSION} `),
    });
  });
});

describe('the single file', () => {
  const lone = () => {
    const place = mkdtempSync(path.join(folder, 'alone-'));
    execFileSync('cp', ['-p', path.join(out, 'kubectl-informer.mjs'), place]);
    return path.join(place, 'kubectl-informer.mjs');
  };

  it('is a program by itself, of at most 8 MiB', () => {
    const file = lone();
    expect(statSync(file).mode & 0o111).toBe(0o111);
    expect(statSync(file).size).toBeLessThan(8 * 1024 * 1024);
    const taken = [...textOf('kubectl-informer.mjs').matchAll(/getBuiltinModule\(["'](.+?)["']\)/g)];
    expect(taken.length).toBeGreaterThan(10);
    expect(taken.map((match) => match[1] as string).filter((name) => !isBuiltin(name))).toEqual([]);
    expect(run(file, 'version').stdout).toContain(`kubectl-informer ${VERSION} `);
    expect(run(file, '--help').stdout).toContain('USAGE');
  });

  it('links nothing that an old Node lacks, and says before anything else which Node it needs', () => {
    const [, ...lines] = textOf('kubectl-informer.mjs').split('\n');
    expect(lines.filter((line) => /^import .* from "[^"]+";$/.test(line))).toEqual([]);
    const check = lines.slice(0, lines.indexOf('}') + 1).join('\n');
    const saidBy = (node: string) => {
      const said: unknown[] = [];
      const stderr = { write: (text: string) => said.push(text) };
      runInNewContext(check, { process: { versions: { node }, stderr, exit: (code: number) => said.push(code) } });
      return said;
    };
    for (const old of ['18.20.8', '20.20.2', '22.18.0'])
      expect(saidBy(old)).toEqual([
        `error: kubectl-informer cannot start: Node ${old} is too old\nhint: install Node 22.19 or newer (24 is best) and try again\n`,
        1,
      ]);
    for (const fine of ['22.19.0', '24.0.0', '26.1.0']) expect(saidBy(fine)).toEqual([]);
  });

  it('watches the sandbox, filters by CEL and prints JSON', () => {
    const line = ['watch', 'pods', '-A', '--sandbox', '--once', '--where', 'STATUS == "Running"', '-o', 'json'];
    const { status, stdout } = run(lone(), ...line);
    expect(status).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(events.length).toBeGreaterThan(2);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['ADDED']));
  });

  it('runs a hook that imports the library, whose classes are those of the program', () => {
    const file = lone();
    const hook = path.join(path.dirname(file), 'hook.ts');
    writeFileSync(
      hook,
      `import { createClient } from 'kubectl-informer';
       import { InformerError, keyOf } from 'kubectl-informer/cache';
       export default async ({ object, client }: any) => {
         const pods = client.resource({ group: '', version: 'v1', resource: 'pods' });
         const refused = await pods.get('').catch((error: unknown) => error);
         console.log('seen', keyOf(object), typeof createClient, refused instanceof InformerError);
         process.kill(process.pid, 'SIGINT');
       };`,
    );
    const { stdout, stderr } = run(file, 'reconcile', 'deployments', '-A', '--hook', hook, '--sandbox');
    expect(stdout + stderr).toMatch(/seen \S+\/\S+ function true/);
  });

  it('keeps the caches of serve --persist on disk, by a thread of its own', async () => {
    await using fixture = await startFixture();
    const env = { ...fixture.env, XDG_CACHE_HOME: path.join(folder, 'cache'), XDG_RUNTIME_DIR: folder };
    const states = path.join(folder, 'cache/kubectl-informer/state');
    const serve = new Cli(['serve', 'namespaces', '--persist'], { env, script: lone() });
    try {
      await serve.until(({ stderr }) => stderr.includes('ready: '), 'it is ready');
      await serve.until(() => existsSync(states) && stored(states).includes('kube-system'), 'the cache is stored');
    } finally {
      serve.kill('SIGKILL');
      await serve.ended();
    }
  });

  it('has the page of serve --ui', async () => {
    await using fixture = await startFixture();
    const env = { ...fixture.env, XDG_RUNTIME_DIR: folder };
    const serve = new Cli(['serve', 'namespaces', '--ui'], { env, script: lone() });
    try {
      await serve.until(({ stderr }) => /^ready: /m.test(stderr), 'it is ready');
      const address = /the page: (\S+\/ui\/);/.exec(serve.stderr)?.[1] ?? '';
      const page = await (await fetch(address)).text();
      expect(page).toBe(pageOf(readFileSync(path.join(ROOT, 'dist/ui/page.html'), 'utf8')).html);
    } finally {
      serve.kill('SIGKILL');
      await serve.ended();
    }
  });
});

const stored = (states: string) =>
  readdirSync(states)
    .map((name) => readFileSync(path.join(states, name), 'latin1'))
    .join('');

function run(file: string, ...line: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...line], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder, NO_COLOR: '1' },
  });
  return { status, stdout, stderr };
}
