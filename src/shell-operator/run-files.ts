import { createWriteStream, rmSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The files of one run, by the variables that name them. `ADMISSION_RESPONSE_PATH` is a second name. */
export interface RunFiles {
  readonly env: Readonly<Record<string, string>>;
  /** The text that the hook wrote to the file of a variable. */
  read(variable: ResultVariable): Promise<string>;
}

/** The variables of the files that a hook writes. */
export type ResultVariable =
  | 'KUBERNETES_PATCH_PATH'
  | 'METRICS_PATH'
  | 'VALIDATING_RESPONSE_PATH'
  | 'CONVERSION_RESPONSE_PATH';

const RESULTS: readonly ResultVariable[] = [
  'KUBERNETES_PATCH_PATH',
  'METRICS_PATH',
  'VALIDATING_RESPONSE_PATH',
  'CONVERSION_RESPONSE_PATH',
];

/** The most that a hook may write to one file, bytes. */
const MOST_RESULT = 64 * 1024 * 1024;

/** A folder of this program for the files of runs, which only its user can read. Disposal removes it. */
export class RunFolder implements AsyncDisposable {
  readonly path: string;
  #runs = 0;

  private constructor(folder: string) {
    this.path = folder;
  }

  static async make(): Promise<RunFolder> {
    return new RunFolder(await mkdtemp(path.join(tmpdir(), 'kubectl-informer-')));
  }

  /** Calls `use` with the files of a run, and removes them. */
  async files<R>(contexts: Iterable<string>, use: (files: RunFiles) => Promise<R>): Promise<R> {
    const folder = path.join(this.path, String(++this.#runs));
    const names = { BINDING_CONTEXT_PATH: 'binding-context.json', ...Object.fromEntries(RESULTS.map((v) => [v, v])) };
    const env = Object.fromEntries(Object.entries(names).map(([variable, name]) => [variable, `${folder}-${name}`]));
    try {
      await pipeline(
        Readable.from(piecesOf(contexts)),
        createWriteStream(env.BINDING_CONTEXT_PATH as string, { mode: 0o600 }),
      );
      for (const variable of RESULTS) await (await open(env[variable] as string, 'w', 0o600)).close();
      const response = env.VALIDATING_RESPONSE_PATH as string;
      return await use({
        env: { ...env, ADMISSION_RESPONSE_PATH: response },
        read: (variable) => resultIn(env[variable] as string, variable),
      });
    } finally {
      await Promise.all(Object.values(env).map((file) => rm(file, { force: true })));
    }
  }

  removeNow(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/** A snapshot may be large: it is written in pieces of this length, between which other work is done. */
const PIECE_CHARS = 256 * 1024;

function* piecesOf(texts: Iterable<string>): Generator<Buffer> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_CHARS) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  yield Buffer.from(piece);
}

async function resultIn(file: string, variable: string): Promise<string> {
  const content = await readFile(file).catch(() => Buffer.alloc(0)); // a hook may remove its file
  if (content.length > MOST_RESULT) throw new Error(`it wrote more than ${MOST_RESULT} bytes to ${variable}`);
  return content.toString('utf8');
}
