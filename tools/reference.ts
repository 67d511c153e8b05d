// `npm run docs:reference`: writes docs/reference, the pages of the commands, from the definitions of their flags. With
// `--check` it writes nothing, and names the pages that would change. The build writes the pages of the library.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REGISTRY } from '../src/commands/registry.ts';
import { commandPages } from './reference/command-pages.ts';

const FOLDER = path.resolve(import.meta.dirname, '../docs/reference');

const pages = await commandPages(REGISTRY);
const there = (await readdir(FOLDER)).filter((file) => file.endsWith('.md'));
if (process.argv[2] === '--check') await check();
else await write();

async function write(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const file of there) if (!pages.has(file)) await rm(path.join(FOLDER, file));
  for (const [file, text] of pages) await writeFile(path.join(FOLDER, file), text);
  console.log(`docs/reference: ${pages.size} pages`);
}

async function check(): Promise<void> {
  const stale = there.filter((file) => !pages.has(file));
  for (const [file, text] of pages)
    if (!there.includes(file) || (await readFile(path.join(FOLDER, file), 'utf8')) !== text) stale.push(file);
  if (stale.length === 0) return;
  console.error(
    `docs/reference is not as the definitions say: ${stale.sort().join(', ')}. Run: npm run docs:reference`,
  );
  process.exitCode = 1;
}
