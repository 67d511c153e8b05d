import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { InformerError } from '../../kit/error.ts';
import { parseKubeconfig } from './kubeconfig-file.ts';

/** A secret in a kubeconfig and its new value. */
export type Replacement = readonly [old: string, replacement: string];

/**
 * Replaces old tokens with renewed ones in each file that contains them, as kubectl does after a refresh. Otherwise
 * the file would keep a refresh token that the provider no longer accepts. The rest of a file and its mode stay the
 * same. Takes kubectl's own lock (`FILE.lock`), and replaces the file atomically.
 * Rejects if a file cannot be locked or written.
 * Source: client-go tools/clientcmd/config.go ModifyConfig.
 */
export async function replaceTokens(files: readonly string[], replacements: readonly Replacement[]): Promise<void> {
  for (const file of files)
    if (contains(await readFile(file, 'utf8'), replacements)) await rewrite(await realpath(file), replacements);
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

/** The new text. Throws if it does not parse to the new tokens: a token of digits alone, for example, is a number. */
async function replaced(text: string, replacements: readonly Replacement[], file: string): Promise<string> {
  const present = replacements.filter((each) => contains(text, [each]));
  const result = present.reduce((changed, [old, token]) => changed.replaceAll(old, () => token), text);
  const { users } = await parseKubeconfig(result, file);
  const tokens = [...users.values()].flatMap((user) => Object.values(user['auth-provider']?.config ?? {}));
  if (present.every(([, token]) => tokens.includes(token))) return result;
  throw new InformerError('config', `cannot put the new token into ${file}`);
}
