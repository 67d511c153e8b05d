// `npm run docs:reference`: writes docs/reference, the pages of the commands from the definitions of their flags. With
// `--check` it writes nothing, and names the pages that would change.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REGISTRY } from '../src/commands/registry.ts';
import { commandPages } from './reference/command-pages.ts';

const FOLDER = path.resolve(import.meta.dirname, '../docs/reference');

const pages = await commandPages(REGISTRY);
if (process.argv.includes('--check')) await check();
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
  const there = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.md'));
  const stale = [...new Set([...there, ...pages.keys()])].filter((file) => !pages.has(file) || !there.includes(file));
  for (const [file, text] of pages)
    if (there.includes(file) && (await readFile(path.join(FOLDER, file), 'utf8')) !== text) stale.push(file);
  if (stale.length === 0) return;
  console.error(
    `docs/reference is not as the definitions say: ${stale.sort().join(', ')}. Run: npm run docs:reference`,
  );
  process.exitCode = 1;
}
