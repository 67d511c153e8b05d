// `npm run docs:reference`: writes docs/reference, the pages of the commands from the definitions of their flags, and
// those of the library from the built declarations. With `--check` it writes nothing, and names the
// pages that would change; `--check commands` and `--check library` look at one half.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REGISTRY } from '../src/commands/registry.ts';
import { commandPages } from './reference/command-pages.ts';
import { libraryPages } from './reference/library-pages.ts';

const FOLDER = path.resolve(import.meta.dirname, '../docs/reference');

const [, , mode, part] = process.argv;
const ofCommands = part === 'library' ? [] : [...(await commandPages(REGISTRY))];
const ofLibrary =
  part === 'commands' ? [] : [...libraryPages()].map(([file, text]) => [`library/${file}`, text] as const);
const pages = new Map([...ofCommands, ...ofLibrary]);
if (mode === '--check') await check();
else await write();

async function write(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  for (const [file, text] of pages) {
    await mkdir(path.dirname(path.join(FOLDER, file)), { recursive: true });
    await writeFile(path.join(FOLDER, file), text);
  }
  console.log(`docs/reference: ${pages.size} pages`);
}

async function check(): Promise<void> {
  const all = (await readdir(FOLDER, { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  const isLooked = (file: string) => part === undefined || file.startsWith('library/') === (part === 'library');
  const there = all.filter((file) => file.endsWith('.md') && isLooked(file));
  const stale = [...new Set([...there, ...pages.keys()])].filter((file) => !pages.has(file) || !there.includes(file));
  for (const [file, text] of pages)
    if (there.includes(file) && (await readFile(path.join(FOLDER, file), 'utf8')) !== text) stale.push(file);
  if (stale.length === 0) return;
  console.error(
    `docs/reference is not as the definitions say: ${stale.sort().join(', ')}. Run: npm run docs:reference`,
  );
  process.exitCode = 1;
}
