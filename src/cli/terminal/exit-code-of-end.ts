import { ExitCode, isReaderGone } from './exit-codes.ts';
import { Interrupted } from './signals.ts';
import { isFailure, StreamEnd } from './stream-ending.ts';

export interface StreamState {
  /** The initial list of every type has been shown. */
  readonly isSynced: boolean;
  /** Something is waited for that has not happened: a limit not reached, a condition not met. */
  readonly isWaiting: boolean;
  /** Something had no connection when it ended, and --strict asks for continuity. */
  readonly isCut?: boolean | undefined;
}

/** The exit code of an ending. Throws what is an error, for the entry to word. */
export function exitCodeOfEnd(reason: unknown, { isSynced, isWaiting, isCut }: StreamState): ExitCode {
  const isOpen = isSynced && !isWaiting;
  if (isCut && !isFailure(reason) && !(reason instanceof StreamEnd && reason.kind === 'fail-if'))
    return ExitCode.continuity;
  if (reason instanceof Interrupted) return isOpen ? ExitCode.ok : reason.exitCode;
  if (isReaderGone(reason)) return isWaiting ? ExitCode.readerGone : ExitCode.ok;
  if (!(reason instanceof StreamEnd)) throw reason;
  switch (reason.kind) {
    case 'continuity':
      return ExitCode.continuity;
    case 'fail-if':
      return ExitCode.failIf;
    case 'timeout':
    case 'done': // --once looks once
    case 'recording':
      return isOpen ? ExitCode.ok : ExitCode.timeout;
    default:
      return ExitCode.ok;
  }
}
