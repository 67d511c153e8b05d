import { StopError } from '../../controller/reconciler.ts';

let report: ((error: StopError) => void) | undefined;
let isTaken = false;

/**
 * Turns `process.exit` of a hook's module into an error of the hook, to the end of the program: else the program would
 * end without a word, in the middle of other runs. The program's own ends use `exitNow`.
 */
export function takeProcessExit(hook: string): void {
  if (isTaken) return;
  isTaken = true;
  process.exit = (code) => {
    const error = new StopError(`hook ${hook} called process.exit(${code ?? ''}), which would end all runs`, {
      hint: 'throw an error instead: a TerminalError gives up the key, a StopError ends the program',
    });
    report?.(error);
    throw error;
  };
}

/** Calls the handler with the error of each `process.exit` of a hook's module, until it is disposed. */
export function onModuleExit(handler: (error: StopError) => void): Disposable {
  report = handler;
  return {
    [Symbol.dispose]() {
      report = undefined;
    },
  };
}
