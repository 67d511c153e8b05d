import { messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { createLogger, type LogFields, type Logger, type LogLevel, logLine } from '../../kit/logger.ts';
import { safeJson } from '../../output/escape.ts';
import type { Io } from './io.ts';

/**
 * From which -v each level is logged, as kubectl's: 0 what went wrong for good, 2 what was dealt with, 4 why, 6 each
 * request.
 */
const TOLD_FROM: Readonly<Record<LogLevel, number>> = { error: 0, warn: 2, info: 4, debug: 6 };

export type LogFormat = 'text' | 'json';

/** A logger to stderr, one line an entry: `LEVEL message field=value …`, or one JSON object. */
export function stderrLogger(io: Io, verbosity: number, format: LogFormat = 'text'): Logger {
  const line = format === 'json' ? jsonLine : logLine;
  return createLogger((level, message, fields) => {
    if (verbosity >= TOLD_FROM[level]) io.stderr.write(`${line(level, message, fields)}\n`);
  });
}

function jsonLine(level: LogLevel, msg: string, fields: LogFields): string {
  const parts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
  return safeJson(jsonText({ time: new Date().toISOString(), level, msg, ...parts }));
}

const plain = (value: unknown) => (value instanceof Error ? messageOf(value) : value);
