import { type HookRequest, type HookStream, runNameOf } from '../../hooks/hook.ts';
import { thrownStack, thrownText } from '../../kit/thrown-text.ts';
import { neutralised } from '../../output/escape.ts';
import type { Io } from '../terminal/io.ts';
import { logJson } from '../terminal/logging.ts';
import type { ShowLine } from './module-output.ts';

/**
 * Shows a line that a hook printed, as `KEY | line` on the stream on which it was printed. A JSON object on stderr with
 * `--log-format json`.
 */
export function showOutput(io: Io, key: string, line: string, stream: HookStream): void {
  if (stream === 'stderr' && io.stderr.isJson) logJson(io, 'info', 'hook output', { key, line });
  else io[stream].write(`${neutralised(key)} | ${neutralised(line)}\n`);
}

/** Shows what a module prints on stderr, as {@link showOutput}. */
export const shownOnStderr =
  (io: Io): ShowLine =>
  (key, line) =>
    showOutput(io, key, line, 'stderr');

/**
 * Shows the stack of what a module's function threw: at the first attempt of each key, and when it is another one than
 * the last one shown. JSON has it at every attempt.
 */
export function showThrown(io: Io): (request: HookRequest, thrown: unknown) => void {
  let last = '';
  return (request, thrown) => {
    const { attempt } = request;
    const key = runNameOf(request);
    const stack = thrownStack(thrown);
    if (stack.length === 0) return;
    if (io.stderr.isJson) {
      logJson(io, 'error', 'the hook threw', { key, attempt, error: thrownText(thrown), stack });
      return;
    }
    const text = stack.join('\n');
    if (attempt > 1 && text === last) return;
    last = text;
    for (const line of text.split('\n')) showOutput(io, key, line, 'stderr');
  };
}
