// Makes everything that a release consists of, from what `npm run build` has left in dist:
//   npm run release -- --out DIR [--executable NODE]
// NODE is a program of Node 26 or newer, which becomes a part of the executable.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { dump } from 'js-yaml';
import { krewFaults, krewManifest } from './release/krew.mjs';
import { writeSingleFile } from './release/single-file.mjs';

const run = promisify(execFile);
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const { values } = parseArgs({ options: { out: { type: 'string' }, executable: { type: 'string' } } });
if (values.out === undefined) {
  console.error('usage: npm run release -- --out DIR [--executable NODE]');
  process.exit(2);
}
const out = path.resolve(values.out);
await mkdir(out, { recursive: true });
if ((await readdir(out)).length > 0) {
  console.error(`error: ${out} is not empty\nhint: name a folder that does not exist yet`);
  process.exit(2);
}

if (values.executable !== undefined && !(await run(values.executable, ['--help'])).stdout.includes('--build-sea')) {
  console.error(`error: ${values.executable} cannot make executables\nhint: name a program of Node 26 or newer`);
  process.exit(2);
}

const main = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: root });
await writeSingleFile({ root, file: path.join(out, 'kubectl-informer.mjs') });
await copyFile(path.join(root, 'dist/sbom.cdx.json'), path.join(out, 'sbom.cdx.json'));
await copyFile(path.join(root, 'tools/release/Dockerfile'), path.join(out, 'Dockerfile'));
if (values.executable !== undefined) await executable(path.resolve(values.executable));
await krew();
await sums();
for (const name of (await readdir(out)).sort())
  console.log(`${String((await stat(path.join(out, name))).size).padStart(9)}  ${name}`);

/** The single file and Node as one program for this platform. Source: Node's single executable applications. */
async function executable(node) {
  const config = path.join(await mkdtemp(path.join(tmpdir(), 'executable-')), 'config.json');
  const settings = {
    main: path.join(out, 'kubectl-informer.mjs'),
    mainFormat: 'module',
    output: path.join(out, `kubectl-informer-${process.platform}-${process.arch}`),
    executable: node,
    disableExperimentalSEAWarning: true,
    execArgv: ['--disable-warning=ExperimentalWarning'], // the imports of hooks are such a part of Node
    useCodeCache: true,
  };
  await writeFile(config, JSON.stringify(settings));
  await run(node, ['--build-sea', config]);
  await rm(path.dirname(config), { recursive: true });
}

/** The archive that krew unpacks, and the manifest that names it. */
async function krew() {
  const archive = `kubectl-informer-krew-v${main.version}.tar.gz`;
  const folder = await mkdtemp(path.join(tmpdir(), 'krew-'));
  try {
    await copyFile(path.join(out, 'kubectl-informer.mjs'), path.join(folder, 'kubectl-informer.mjs'));
    await copyFile(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
    await copyFile(path.join(root, 'dist/THIRD-PARTY-LICENCES.txt'), path.join(folder, 'THIRD-PARTY-LICENCES.txt'));
    const entries = (await readdir(folder)).sort();
    await run('tar', ['-czf', path.join(out, archive), '-C', folder, ...entries]);
    const manifest = krewManifest({ main, archive, sha256: await sha256(path.join(out, archive)) });
    const faults = krewFaults(manifest, entries);
    if (faults.length > 0) throw new Error(`krew would refuse the manifest: ${faults.join('; ')}`);
    await writeFile(path.join(out, `${manifest.metadata.name}.yaml`), dump(manifest, { lineWidth: 120 }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** As `sha256sum -c SHA256SUMS` reads them. */
async function sums() {
  const names = (await readdir(out)).sort();
  const lines = await Promise.all(names.map(async (name) => `${await sha256(path.join(out, name))}  ${name}\n`));
  await writeFile(path.join(out, 'SHA256SUMS'), lines.join(''));
}

async function sha256(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
