// After `npm install`: gives the lockfile an entry for every optional platform package it lacks.
// `npm ci` refuses a lockfile without them, and `npm install` leaves out those that the registry at hand does not serve
// (a mirror may hold Linux only). The entries name version and platform, so that each machine takes what fits it and
// passes over the rest. Each gets its integrity where the registry serves it; the others are named.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const file = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'package-lock.json');
const lock = JSON.parse(await readFile(file, 'utf8'));

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

let added = 0;
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries((place !== '' && entry.optionalDependencies) || {})) {
    if (!/^\d+\.\d+\.\d+/.test(version)) continue; // a range: npm finds what fits, or does without
    if (foldersAbove(place).some((folder) => lock.packages[folder + name]?.version === version)) continue;
    lock.packages[foldersAbove(place)[0] + name] = {
      version,
      ...platformOf(name),
      dev: true,
      license: 'MIT',
      optional: true,
    };
    added++;
  }
}
const unverified = [];
for (const [place, entry] of Object.entries(lock.packages)) {
  if (!place.includes('node_modules/') || entry.link || entry.integrity) continue;
  const name = `${place.replace(/.*node_modules\//, '')}@${entry.version}`;
  const view = promisify(execFile)('npm', ['view', name, 'dist.integrity']).catch(() => ({ stdout: '' }));
  const integrity = (await view).stdout.trim();
  if (integrity.startsWith('sha512-')) entry.integrity = integrity;
  else unverified.push(name);
}
const { '': root, ...rest } = lock.packages;
lock.packages = { '': root, ...Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))) };
await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} entries added`);
if (unverified.length > 0)
  console.log(`without integrity, because the registry does not serve them: ${unverified.join(', ')}`);

/** The node_modules folders in which a package at `place` looks for others, nearest first, leaving out its own. */
function foldersAbove(place) {
  if (!place.includes('node_modules/')) return ['node_modules/']; // a folder of this checkout that is a dependency
  const parts = place.split('node_modules/').slice(0, -1);
  return parts.map((_, i) => `${parts.slice(0, parts.length - i).join('node_modules/')}node_modules/`);
}

/** The platform a package is for, read off its name: `…-linux-arm64-musl`. */
function platformOf(name) {
  const parts = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => parts.includes(system));
  const cpu = PROCESSORS.filter((processor) => parts.includes(processor));
  const libc = parts.some((part) => part.startsWith('musl'))
    ? ['musl']
    : parts.some((part) => part.startsWith('gnu'))
      ? ['glibc']
      : undefined;
  return { ...(os.length > 0 ? { os } : {}), ...(cpu.length > 0 ? { cpu } : {}), ...(libc ? { libc } : {}) };
}
