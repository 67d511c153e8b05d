import { closeSync, openSync, readSync } from 'node:fs';
import { StopError, TerminalError } from '../../controller/reconciler.ts';
import { InformerError, messageOf } from '../../kit/error.ts';

const START_HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'check the path',
  EACCES: 'make it executable: chmod +x',
  ENOEXEC: 'begin the script with a line such as #!/bin/sh',
};

/**
 * Throws the failure of an executable that could not be started. A hook that never ran is not set up correctly, so the
 * program ends; one that ran before may be in the middle of a replacement, so its key is retried.
 */
export function cannotRun(
  command: string,
  error: unknown,
  { signal, hasStarted }: { signal: AbortSignal; hasStarted: boolean },
): never {
  if (signal.aborted && error === signal.reason) throw error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'E2BIG')
    throw new TerminalError(new InformerError('hook', `hook ${command}: its arguments are too long`, { cause: error }));
  const known = code === undefined ? undefined : START_HINTS[code];
  if (!known) throw new InformerError('hook', `hook ${command}: ${messageOf(error)}`, { cause: error });
  const script = code === 'ENOENT' ? firstLineOf(command) : undefined;
  const isUnknown = code === 'ENOENT' && !/[/\\]/.test(command);
  const why = script ? `its interpreter ${script.interpreter} was not found` : messageOf(error);
  const message = `cannot run hook ${command}: ${isUnknown ? 'it is not on PATH' : why}`;
  const hint = isUnknown
    ? `check the spelling; a file of this folder is written ./${command}`
    : !script
      ? known
      : script.hasReturn
        ? 'its lines end with CR LF: save it with LF line ends'
        : 'correct the first line of the script';
  const options = { cause: error, hint };
  throw hasStarted ? new InformerError('hook', message, options) : new StopError(message, options);
}

/** The interpreter line of a script (`#!/bin/sh`); undefined if the file is no script or is absent. */
function firstLineOf(file: string): { interpreter: string; hasReturn: boolean } | undefined {
  const start = Buffer.alloc(256);
  try {
    const handle = openSync(file, 'r');
    try {
      readSync(handle, start);
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
  const found = /^#!\s*([^\s\0]+)[^\n\r]*(\r?)/.exec(start.toString('latin1'));
  return found ? { interpreter: found[1] as string, hasReturn: found[2] === '\r' } : undefined;
}
