import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { isPrivateFolder } from './kit/private-folder.ts';

/**
 * The program, but for what its door answers at once. Never rejects; the exit code is the process's. `__complete`, which
 * shells ask, is no command: it loads none.
 */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  keepCompiled(process.env);
  process.report.excludeEnv = true; // a report of a crash is sent around, and variables may be credentials
  if (argv[0] === '__complete') return (await import('./complete.ts')).complete(argv.slice(1));
  const { program } = await import('./program.ts');
  await program(argv);
}

/**
 * Lets Node keep what it compiled in the user's cache directory, which halves the next start.
 * NODE_DISABLE_COMPILE_CACHE=1 turns it off. What lies there is run, so a folder that others could write to is not
 * used.
 */
function keepCompiled({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }: NodeJS.ProcessEnv): void {
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, '.cache'));
  if (!base || !path.isAbsolute(base)) return;
  const own = path.join(base, 'kubectl-informer');
  if (isPrivateFolder(own, 'compiled')) enableCompileCache(path.join(own, 'compiled'));
}
