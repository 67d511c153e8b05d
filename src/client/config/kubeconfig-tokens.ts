import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { InformerError } from '../../kit/error.ts';
import { parseKubeconfig } from './kubeconfig-file.ts';

/** One secret in a kubeconfig and what takes its place. */
export type Replacement = readonly [old: string, replacement: string];

/**
 * Puts renewed tokens in the place of the old ones, in whichever of the files has them, as kubectl does after a refresh: without it the
 * refresh token that the provider has replaced would stay there and be worth nothing. Nothing else of a file changes, not its mode either.
 * Holds kubectl's own lock (`FILE.lock`) and replaces the file as a whole. Rejects when a file cannot be locked or written.
 * Source: client-go tools/clientcmd/config.go ModifyConfig.
 */
export async function replaceTokens(files: readonly string[], replacements: readonly Replacement[]): Promise<void> {
  for (const file of files) if (contains(await readFile(file, 'utf8'), replacements)) await rewrite(await realpath(file), replacements);
}

function contains(text: string, replacements: readonly Replacement[]): boolean {
  return replacements.some(([old]) => old !== '' && text.includes(old));
}

async function rewrite(file: string, replacements: readonly Replacement[]): Promise<void> {
  const lock = `${file}.lock`;
  await (await open(lock, 'wx')).close();
  const draft = `${file}.${process.pid}.new`;
  try {
    const text = await replaced(await readFile(file, 'utf8'), replacements, file);
    await writeFile(draft, text, { mode: (await stat(file)).mode & 0o777, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
    await rm(lock, { force: true });
  }
}

/** The new text, if it still reads as it should: a token of digits alone, say, would have become a number. */
async function replaced(text: string, replacements: readonly Replacement[], file: string): Promise<string> {
  const present = replacements.filter((each) => contains(text, [each]));
  const result = present.reduce((changed, [old, token]) => changed.replaceAll(old, () => token), text);
  const { users } = await parseKubeconfig(result, file);
  const tokens = [...users.values()].flatMap((user) => Object.values(user['auth-provider']?.config ?? {}));
  if (present.every(([, token]) => tokens.includes(token))) return result;
  throw new InformerError('config', `cannot put the new token into ${file}`);
}
