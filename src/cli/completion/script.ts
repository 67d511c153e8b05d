import { readFile } from 'node:fs/promises';
import type { SHELLS } from './words.ts';

/** The completion script of a shell for the name `kubectl-informer`. */
export async function completionScript(shell: (typeof SHELLS)[number]): Promise<string> {
  const folder = import.meta.url.endsWith('.ts') ? 'scripts' : 'completion';
  return readFile(new URL(`./${folder}/completion.${shell}`, import.meta.url), 'utf8');
}
