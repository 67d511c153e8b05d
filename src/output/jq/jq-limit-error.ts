import { humanDuration } from '../../kit/duration.ts';

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

const MIB = 1024 * 1024;
