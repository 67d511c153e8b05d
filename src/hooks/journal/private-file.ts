import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file that only its owner reads, in a folder of its own; disposing removes both. */
export interface PrivateFile extends AsyncDisposable {
  readonly path: string;
  /** Removes it at once, when there is no time to wait. */
  removeNow(): void;
}

/** Writes a file that only this user can read; disposing deletes it. */
export async function privateFile(name: string, content: string): Promise<PrivateFile> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kubectl-informer-'));
  const file = path.join(folder, name);
  await writeFile(file, content, { mode: 0o600 });
  return {
    path: file,
    removeNow: () => rmSync(folder, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
