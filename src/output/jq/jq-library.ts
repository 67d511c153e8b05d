import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { InformerError, messageOf } from '../../kit/error.ts';
import { JqLimitError } from './jq-limits.ts';
import { MOST_MEMORY, runProgram } from './jq-program.ts';
import { JqThreads } from './jq-threads.ts';
import { warnOf } from './jq-warning.ts';

/** An implementation of jq. */
export interface JqLibrary {
  /**
   * Applies an expression to JSON texts, and resolves with the results as `jq -c` prints them. Nothing of this process
   * waits for it. Rejects with jq's words if the expression cannot be parsed, or fails on the last text; with
   * `JqLimitError` if it needs too much memory; and with the signal's reason, which ends it.
   */
  run(expression: string, texts: string, signal?: AbortSignal): Promise<string>;
}

/** Where {@link loadJqLibrary} looks. */
export interface JqPlaces {
  /** Finds the file of jq-web. Default: the package, as this module finds it. */
  readonly resolve?: () => string;
  /** The folders in which programs are. Default: PATH. */
  readonly searchPath?: string | undefined;
}

/** The threads of jq-web, by its file. A serve answers many askers with them. */
const THREADS = new Map<string, JqThreads>();

/**
 * The package jq-web if it is installed, else the program jq on PATH. Throws `argument`, with a hint, if there is
 * neither, or one that does not run.
 */
export async function loadJqLibrary({
  resolve = resolveJqWeb,
  searchPath = process.env.PATH,
}: JqPlaces = {}): Promise<JqLibrary> {
  const web = fileOf(resolve);
  if (web !== undefined) return threadsOf(web);
  const file = programOn(searchPath);
  if (file !== undefined) return programLibrary(file);
  throw new InformerError('argument', '-o jq needs the program jq, and there is none on PATH', {
    hint: 'install jq 1.7 or newer, or the package that has it as WebAssembly: npm install -g jq-web',
  });
}

const resolveJqWeb = (): string => createRequire(import.meta.url ?? process.execPath).resolve('jq-web');

function fileOf(resolve: () => string): string | undefined {
  try {
    return resolve();
  } catch (cause) {
    if ((cause as { code?: unknown } | undefined)?.code === 'MODULE_NOT_FOUND') return undefined;
    throw unloadable(cause);
  }
}

async function threadsOf(file: string): Promise<JqLibrary> {
  const known = THREADS.get(file);
  if (known) return known;
  const threads = new JqThreads(file);
  try {
    await threads.check();
  } catch (cause) {
    throw unloadable(cause);
  }
  THREADS.set(file, threads);
  return threads;
}

const unloadable = (cause: unknown) =>
  new InformerError('argument', '-o jq needs the package jq-web, which cannot be loaded', {
    cause,
    hint: 'install it again (npm install -g jq-web), or remove it and install the program jq 1.7 or newer',
  });

/** Not from the current directory, which may be anyone's. */
function programOn(searchPath = ''): string | undefined {
  const name = process.platform === 'win32' ? 'jq.exe' : 'jq';
  return searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));
}

/**
 * One process for each call, which takes a few milliseconds. A version before 1.7 changes whole numbers beyond 2^53, so
 * it fails on texts that have one.
 */
async function programLibrary(file: string): Promise<JqLibrary> {
  const isExact = await keepsNumbers(file);
  return {
    async run(expression, texts, signal) {
      const changed = isExact ? undefined : largeNumberIn(texts);
      if (changed !== undefined) throw new Error(`this jq would change the number ${changed}; jq 1.7 does not`);
      return output(file, expression, texts, signal);
    },
  };
}

const LARGE = '9007199254740993';

async function keepsNumbers(file: string): Promise<boolean> {
  try {
    return (await output(file, '.', LARGE)).trim() === LARGE;
  } catch (cause) {
    throw new InformerError('argument', `-o jq needs the program jq, and ${file} does not run: ${messageOf(cause)}`, {
      cause,
      hint: `try: ${file} --version`,
    });
  }
}

async function output(file: string, expression: string, texts: string, signal?: AbortSignal): Promise<string> {
  const call = () => runProgram(file, ['-c', ` ${expression}`], { input: texts, env: ENVIRONMENT, signal });
  let ended = await call();
  if (ended.killedBy === 'SIGINT') ended = await call(); // Ctrl-C reaches the whole process group: this text is still printed
  const { code, stdout, stderr, killedBy } = ended;
  if (/cannot allocate memory/.test(stderr)) throw JqLimitError.ofMemory(MOST_MEMORY);
  if (code !== 0) throw new Error(stderr.trim() || `jq ended with ${killedBy ?? `exit code ${code}`}`);
  if (stderr !== '') warnOf(stderr);
  return stdout;
}

/** No variable of the user's, and no file of the home folder, has an effect on the results. */
const ENVIRONMENT = process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {};

/** A whole number in JSON texts that a double cannot represent. */
function largeNumberIn(texts: string): string | undefined {
  for (const [token] of texts.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (/^-?\d{16,}$/.test(token) && String(Number(token)) !== token) return token;
  }
  return undefined;
}
