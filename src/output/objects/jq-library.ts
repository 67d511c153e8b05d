import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { builtin } from '../../kit/builtin.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { safeJson } from '../escape.ts';

/** An implementation of jq. */
export interface JqLibrary {
  /**
   * Applies an expression to JSON texts, and returns the results as `jq -c` prints them. Throws an error with jq's
   * words if the expression cannot be parsed, or fails on the last text.
   */
  run(expression: string, texts: string): string;
}

/** The part of the package jq-web that is used. */
interface JqWeb {
  raw(json: string, filter: string, flags: string[]): string | undefined;
}

/** Where {@link loadJqLibrary} looks. */
export interface JqPlaces {
  /** Loads jq-web. Default: the package, as this module finds it. */
  readonly load?: () => unknown;
  /** The folders in which programs are. Default: PATH. */
  readonly searchPath?: string | undefined;
}

/**
 * The package jq-web if it is installed, else the program jq on PATH. Throws `argument`, with a hint, if there is
 * neither, or one that does not run.
 */
export async function loadJqLibrary({
  load = requireJqWeb,
  searchPath = process.env.PATH,
}: JqPlaces = {}): Promise<JqLibrary> {
  try {
    return libraryOf((await load()) as JqWeb);
  } catch (cause) {
    if ((cause as { code?: unknown } | undefined)?.code !== 'MODULE_NOT_FOUND')
      throw new InformerError('argument', '-o jq needs the package jq-web, which cannot be loaded', {
        cause,
        hint: 'install it again (npm install -g jq-web), or remove it and install the program jq 1.7 or newer',
      });
  }
  const file = programOn(searchPath);
  if (file !== undefined) return programLibrary(file);
  throw new InformerError('argument', '-o jq needs the program jq, and there is none on PATH', {
    hint: 'install jq 1.7 or newer, or the package that has it as WebAssembly: npm install -g jq-web',
  });
}

/** Uses `require`, because jq-web is a CommonJS module whose export is a promise, and an import would await it. */
const requireJqWeb = (): unknown => createRequire(import.meta.url ?? process.execPath)('jq-web');

function libraryOf(jqWeb: JqWeb): JqLibrary {
  return {
    run(expression, texts) {
      const { exitCode } = process;
      try {
        return jqWeb.raw(texts, expression, ['-c', '--']) ?? '';
      } catch (error) {
        const { stderr } = error as { stderr?: unknown };
        throw new Error(typeof stderr === 'string' ? stderr : messageOf(error), { cause: error });
      } finally {
        process.exitCode = exitCode; // the library's runtime sets it
      }
    },
  };
}

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
function programLibrary(file: string): JqLibrary {
  const isExact = keepsNumbers(file);
  return {
    run(expression, texts) {
      const changed = isExact ? undefined : largeNumberIn(texts);
      if (changed !== undefined) throw new Error(`this jq would change the number ${changed}; jq 1.7 does not`);
      return output(file, expression, texts);
    },
  };
}

const LARGE = '9007199254740993';

function keepsNumbers(file: string): boolean {
  try {
    return output(file, '.', LARGE).trim() === LARGE;
  } catch (cause) {
    throw new InformerError('argument', `-o jq needs the program jq, and ${file} does not run: ${messageOf(cause)}`, {
      cause,
      hint: `try: ${file} --version`,
    });
  }
}

function output(file: string, expression: string, texts: string): string {
  const call = () =>
    builtin.childProcess().spawnSync(file, ['-c', ` ${expression}`], {
      input: texts,
      encoding: 'utf8',
      env: ENVIRONMENT,
      maxBuffer: MOST_OUTPUT,
      windowsHide: true,
    });
  let ended = call();
  if (ended.signal === 'SIGINT') ended = call(); // Ctrl-C reaches the whole process group: this text is still printed
  const { status, stdout, stderr, error, signal } = ended;
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim() || `jq ended with ${signal ?? `exit code ${status}`}`);
  if (stderr !== '') process.emitWarning(safeJson(stderr.trimEnd()), 'jq'); // of `debug` and `stderr`
  return stdout;
}

/** No variable of the user's, and no file of the home folder, has an effect on the results. */
const ENVIRONMENT = process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {};

/** The most output of one call, in bytes. */
const MOST_OUTPUT = 512 * 1024 * 1024;

/** A whole number in JSON texts that a double cannot represent. */
function largeNumberIn(texts: string): string | undefined {
  for (const [token] of texts.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (/^-?\d{16,}$/.test(token) && String(Number(token)) !== token) return token;
  }
  return undefined;
}
