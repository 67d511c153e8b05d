import { messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { createLogger, type LogFields, type Logger, type LogLevel, logLine } from '../../kit/logger.ts';
import { safeJson } from '../../output/escape.ts';
import type { Io } from './io.ts';

/** The stream for what is not data. */
type Stderr = Pick<Io, 'stderr'>;

/**
 * From which -v each level is logged, as kubectl's: 0 what went wrong for good, 2 what was dealt with, 4 why, 6 each
 * request.
 */
const TOLD_FROM: Readonly<Record<LogLevel, number>> = { error: 0, warn: 2, info: 4, debug: 6 };

/** A logger to stderr, one line an entry: `LEVEL message field=value …`, or one JSON object after {@link logAsJson}. */
export function stderrLogger(io: Stderr, verbosity: number): Logger {
  return createLogger((level, message, fields) => {
    if (verbosity < TOLD_FROM[level]) return;
    if (io.stderr.isJson) logJson(io, level, message, fields);
    else io.stderr.write(`${logLine(level, message, fields)}\n`);
  });
}

/** From now on every line on stderr is a JSON object with `time`, `level` and `msg`, also a line of text. */
export function logAsJson({ stderr }: Stderr): void {
  stderr.asJson((line) => {
    const [, word = '', msg = line] = /^(Warning|error): (.*)$/.exec(line) ?? [];
    return jsonLine(LEVEL_OF[word] ?? 'info', msg, {});
  });
}

/** Writes an entry with its fields, to a stderr that is JSON. */
export function logJson({ stderr }: Stderr, level: LogLevel, message: string, fields: LogFields): void {
  stderr.writeJson(jsonLine(level, message, fields));
}

const LEVEL_OF: Readonly<Record<string, LogLevel>> = { Warning: 'warn', error: 'error' };

function jsonLine(level: LogLevel, msg: string, fields: LogFields): string {
  const parts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
  return safeJson(jsonText({ time: new Date().toISOString(), level, msg, ...parts }));
}

const plain = (value: unknown) => (value instanceof Error ? messageOf(value) : value);
