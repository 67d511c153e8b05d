import { humanDuration } from '../../kit/duration.ts';
import { messageOf } from '../../kit/error.ts';
import { continued } from '../../kit/escape.ts';
import { createLogger, type LogFields, type Logger, type LogLevel, logLine } from '../../kit/logger.ts';
import type { Io } from '../terminal/io.ts';
import { stderrLogger } from '../terminal/logging.ts';

/** The verbosity from which people, too, get every field. */
const ALL_FIELDS = 6;

/**
 * The log of `reconcile` on stderr. For people a short line an entry: `shop/web: failed (attempt 2), again in 10 ms: …`.
 * Every field is there as JSON, and from `-v 6` on.
 */
export function reconcileLogger(io: Io, verbosity: number): Logger {
  if (io.stderr.isJson || verbosity >= ALL_FIELDS) return stderrLogger(io, Math.max(4, verbosity));
  return createLogger((level, message, fields) => {
    if (level !== 'debug' && !LIFE.has(message)) io.stderr.write(`${shortLine(level, message, fields)}\n`);
  });
}

/** The steps of a controller's life, which the command reports in its own words, by their messages. */
const LIFE: ReadonlySet<string> = new Set([
  'the controller starts',
  'the sources have synced, and runs begin',
  'the controller drains',
  'the controller has ended',
]);

/** An entry for people. */
export function shortLine(level: LogLevel, message: string, fields: LogFields): string {
  const { key, attempt, retryMs, error, controller: _c, run: _r, hook: _h, ...rest } = fields;
  const lead = key === undefined ? '' : `${String(key)}: `;
  const why = error === undefined ? '' : `: ${messageOf(error).replace(/^terminal error: /, '')}`;
  const again = typeof retryMs === 'number' ? `, again in ${shortDuration(retryMs)}` : '';
  const outcome = OUTCOMES[message]?.({ attempt: String(attempt), again });
  const plain = outcome ?? logLine(level, message, rest);
  const isQuiet = level === 'info' && lead !== '' && outcome === undefined;
  return continued(`${lead}${isQuiet ? plain.slice('INFO '.length) : plain}${why}`);
}

const shortDuration = (ms: number) => (ms < 1000 ? `${Math.ceil(ms)} ms` : humanDuration(ms));

/** The ends of runs that failed, by the messages of the controller. */
const OUTCOMES: Readonly<Record<string, (run: { attempt: string; again: string }) => string>> = {
  'failed; will retry': ({ attempt, again }) => `failed (attempt ${attempt})${again}`,
  'failed; not retried, because the controller ends': ({ attempt }) =>
    `failed (attempt ${attempt}), and is not tried again, because the program ends`,
  'gave up; parked until something changes': ({ attempt }) => `given up until something changes (attempt ${attempt})`,
  'failed for good, but something changed meanwhile': ({ attempt }) =>
    `failed (attempt ${attempt}), and runs again because something changed meanwhile`,
};
