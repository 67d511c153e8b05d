import { InformerError, messageOf } from './error.ts';
import { continued } from './escape.ts';
import { jsonText } from './exact-json.ts';

export type LogFields = Readonly<Record<string, unknown>>;
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/**
 * Four levels, a message that stays the same for the same thing, and fields for what varies. Without one the library writes warnings and errors to
 * stderr ({@link consoleLogger}); {@link silentLogger} turns that off. What a logger itself throws is the caller's.
 */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

export const silentLogger: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  child: () => silentLogger,
};

/** A logger over one sink; what the CLI and the tests build theirs from. */
export function createLogger(sink: (level: LogLevel, message: string, fields: LogFields) => void, base: LogFields = {}): Logger {
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => sink(level, message, { ...base, ...fields });
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => createLogger(sink, { ...base, ...fields }),
  };
}

/** From least to most. */
const LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

/**
 * A logger that writes to stderr, a line an entry: `kubectl-informer: WARN message field=value …`. `level` is the least urgent one that is written.
 * What a terminal would obey is shown as text.
 */
export function consoleLogger(level: LogLevel = 'warn'): Logger {
  const written = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
  if (written.length === 0)
    throw new InformerError('argument', `the level of a logger is one of ${LEVELS.join(', ')}, not ${String(level)}`);
  return createLogger((each, message, fields) => {
    // biome-ignore lint/suspicious/noConsole: a library that is given no logger says there what went wrong
    if (written.includes(each)) console.error(`kubectl-informer: ${logLine(each, message, fields)}`);
  });
}

/** What the library's parts use that are given no logger. */
export const defaultLogger: Logger = consoleLogger('warn');

/** One entry as text: `LEVEL message field=value`; values in quotes where they need it, further lines indented. */
export function logLine(level: LogLevel, message: string, fields: LogFields): string {
  const parts = Object.entries(fields).filter(([name, value]) => value !== undefined && !(name === 'error' && plain(value) === message));
  return continued([level.toUpperCase(), message, ...parts.map(([name, value]) => `${name}=${textOf(value)}`)].join(' '));
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : value instanceof Error ? messageOf(value) : (jsonText(value) ?? String(value));

function textOf(value: unknown): string {
  const text = plain(value);
  return text === '' || /[\s"=\p{Cc}]/u.test(text) ? JSON.stringify(text) : text;
}
