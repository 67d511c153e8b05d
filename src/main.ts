import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { KeptCode } from './kit/kept-code.ts';
import { isPrivateFolder } from './kit/private-folder.ts';

/**
 * The commands that people wait for. `reconcile` is none of them, and must not be: its hooks import the library, and get
 * the classes that the program has.
 */
const QUICK: ReadonlySet<string> = new Set(['__complete', 'query', 'watch']);

/** False for the sources, and for a program that is one file. */
const isBuilt = import.meta.url.endsWith('/dist/main.js');

/**
 * The program, but for what its door answers at once. Never rejects; the exit code is the process's. `__complete`, which
 * shells ask, is no command: it loads none.
 */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  const kept = keepCompiled(process.env, argv[0]);
  process.report.excludeEnv = true; // a report of a crash is sent around, and variables may be credentials
  if (argv[0] === '__complete') {
    const { complete } =
      (kept?.load('complete.js') as typeof import('./complete.ts')) ?? (await import('./complete.ts'));
    return complete(argv.slice(1));
  }
  const { program } =
    (kept?.load('start.js').program_exports as typeof import('./program.ts')) ?? (await import('./program.ts'));
  await program(argv);
}

/**
 * Keeps compiled code in the user's cache directory, which halves the next start. NODE_DISABLE_COMPILE_CACHE=1 turns it
 * off. What lies there is run, so a folder that others could write to is not used.
 */
function keepCompiled(
  { XDG_CACHE_HOME, LOCALAPPDATA, HOME, NODE_DISABLE_COMPILE_CACHE }: NodeJS.ProcessEnv,
  command = '',
): KeptCode | undefined {
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, '.cache'));
  if (!base || !path.isAbsolute(base) || NODE_DISABLE_COMPILE_CACHE) return undefined;
  const own = path.join(base, 'kubectl-informer');
  if (!isPrivateFolder(own, 'compiled')) return undefined;
  const folder = path.join(own, 'compiled');
  if (!isBuilt || !QUICK.has(command)) {
    enableCompileCache(folder);
    return undefined;
  }
  const kept = new KeptCode({
    files: new URL('.', import.meta.url),
    folder: path.join(folder, `${process.version}-${process.arch}-${command}`),
  });
  process.once('exit', (code) => code === 0 && kept.keep());
  return kept;
}
