import { readFile } from 'node:fs/promises';
import { type Catalog, catalogOf } from './cli/completion/catalog.ts';
import { answerCompletion } from './cli/completion/complete.ts';
import { processIo } from './cli/terminal/io.ts';

/** Completes a command line, whose last word may be empty, and ends the process. Loads no command. */
export async function complete(argv: readonly string[]): Promise<void> {
  await answerCompletion(argv, preparedCatalog, processIo());
}

/** The catalog that the build has written beside this file; of the sources, that of the loaded commands. */
async function preparedCatalog(): Promise<Catalog> {
  try {
    return JSON.parse(await readFile(new URL('completion.json', import.meta.url), 'utf8'));
  } catch {
    return createCatalog();
  }
}

/** The catalog of all commands, which loads each of them. */
export async function createCatalog(): Promise<Catalog> {
  const { REGISTRY } = await import('./commands/registry.ts');
  const commands = await Promise.all(
    Object.entries(REGISTRY).map(async ([name, load]) => [name, await load()] as const),
  );
  return catalogOf(Object.fromEntries(commands));
}
