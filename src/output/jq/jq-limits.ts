import { humanDuration } from '../../kit/duration.ts';

/** How long a call may take, ms, and how many characters of input make it one longer. It takes about 20 ms for a million. */
export const MOST_MS = 30_000;
export const CHARS_PER_MS = 1_000;

/** How long an expression may go on after Ctrl-C, ms, and at another end: until its own limit. */
export const INTERRUPTED_MS = 2_000;
export const ENDED_MS = 60_000;

const MIB = 1024 * 1024;
/** The most memory of a call, bytes; of one with a large input, this number of bytes for each of its characters. */
export const MOST_BYTES = 1024 * MIB;
export const BYTES_PER_CHAR = 8;

/** An expression of jq that takes more time or memory than it may. No other input is tried: it would take as much. */
export class JqLimitError extends Error {
  override readonly name = 'JqLimitError';

  static ofTime(ms: number): JqLimitError {
    return new JqLimitError(`it was ended: it has run for ${humanDuration(ms)}, the limit for this input`);
  }

  static ofMemory(bytes: number): JqLimitError {
    return new JqLimitError(`it was ended: it needs more than ${Math.floor(bytes / MIB)} MiB of memory, the limit`);
  }
}
