import { messageOf } from '../kit/error.ts';
import { jsonText } from '../kit/exact-json.ts';
import { createLogger, type LogFields, type Logger, type LogLevel } from '../kit/logger.ts';
import { neutralised } from '../output/escape.ts';
import type { Io } from './io.ts';

/** From which -v each level is told, as kubectl's: 0 what went wrong for good, 2 what was dealt with, 4 why, 6 each request. */
const TOLD_FROM: Readonly<Record<LogLevel, number>> = { error: 0, warn: 2, info: 4, debug: 6 };

export type LogFormat = 'text' | 'json';

/** A logger to stderr, one line an entry: `LEVEL message field=value …`, or one JSON object. */
export function stderrLogger(io: Io, verbosity: number, format: LogFormat = 'text'): Logger {
  const line = format === 'json' ? jsonLine : textLine;
  return createLogger((level, message, fields) => {
    if (verbosity >= TOLD_FROM[level]) io.stderr.write(`${line(level, message, fields)}\n`);
  });
}

function textLine(level: LogLevel, message: string, fields: LogFields): string {
  const parts = Object.entries(fields).filter(([, value]) => value !== undefined);
  return neutralised([level.toUpperCase(), message, ...parts.map(([name, value]) => `${name}=${textOf(value)}`)].join(' '));
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (jsonText(plain(value)) ?? String(value));
  return text === '' || /[\s"=\p{Cc}]/u.test(text) ? JSON.stringify(text) : text;
}

function jsonLine(level: LogLevel, msg: string, fields: LogFields): string {
  const parts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
  return jsonText({ time: new Date().toISOString(), level, msg, ...parts });
}

const plain = (value: unknown) => (value instanceof Error ? messageOf(value) : value);
