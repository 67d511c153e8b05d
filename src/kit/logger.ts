import { type Clock, systemClock } from './clock.ts';
import { InformerError, messageOf } from './error.ts';
import { continued } from './escape.ts';
import { jsonText } from './exact-json.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from './known-options.ts';

/** The fields of a log line, by name. They never contain a credential or a value of a Secret. */
export type LogFields = Readonly<Record<string, unknown>>;
/** The levels of a log, most severe first. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/**
 * A logger with four levels. The message of a kind of entry is constant; fields contain the values that vary. Without a
 * logger the library writes warnings and errors to stderr ({@link consoleLogger}); {@link silentLogger} turns that off.
 * Errors of a logger are not caught.
 */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  child: () => silentLogger,
};

/** Creates a logger that passes all entries to one function. `base`: fields of every entry. */
export function createLogger(
  sink: (level: LogLevel, message: string, fields: LogFields) => void,
  base: LogFields = {},
): Logger {
  checkArgument('createLogger', 'sink', sink, 'function');
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => sink(level, message, { ...base, ...fields });
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => createLogger(sink, { ...base, ...fields }),
  };
}

/** The levels, from the most to the least urgent. */
const LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

/** Options of {@link consoleLogger}. */
export interface ConsoleLoggerOptions {
  /** The name at the beginning of each line. Default `kubectl-informer`. */
  program?: string | undefined;
  /** Whether each line begins with its time: `2026-01-31T12:00:00.000Z`. Default false. */
  times?: boolean | undefined;
  /** The source of that time. Default: the system's clock. */
  clock?: Clock | undefined;
}

const KNOWN_CONSOLE_OPTIONS = {
  program: 'text',
  times: 'boolean',
  clock: 'clock',
} satisfies KnownOptionsOf<ConsoleLoggerOptions>;

/**
 * A logger that writes one line for each entry to stderr: `kubectl-informer: WARN message field=value …`. `level` is
 * the least urgent level that is written. Control characters are shown as text. Throws `argument` for an unknown level.
 */
export function consoleLogger(level: LogLevel = 'warn', options: ConsoleLoggerOptions = {}): Logger {
  const written = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
  if (written.length === 0)
    throw new InformerError('argument', `the level of a logger is one of ${LEVELS.join(', ')}, not ${String(level)}`);
  checkOptions('consoleLogger', options, KNOWN_CONSOLE_OPTIONS);
  const { program = 'kubectl-informer', times = false, clock = systemClock } = options;
  return createLogger((each, message, fields) => {
    if (!written.includes(each)) return;
    const time = times ? `${new Date(clock.now()).toISOString()} ` : '';
    // biome-ignore lint/suspicious/noConsole: the output of a library without a logger
    console.error(`${time}${program}: ${logLine(each, message, fields)}`);
  });
}

/** The logger of parts that get none. */
export const defaultLogger: Logger = consoleLogger('warn');

/** An entry as text: `LEVEL message field=value`. Values are quoted if necessary, several texts have commas between them, and further lines are indented. */
export function logLine(level: LogLevel, message: string, fields: LogFields): string {
  const parts = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && !(name === 'error' && plain(value) === message),
  );
  return continued(
    [level.toUpperCase(), message, ...parts.map(([name, value]) => `${name}=${textOf(value)}`)].join(' '),
  );
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : value instanceof Error ? messageOf(value) : (jsonText(value) ?? String(value));

function textOf(value: unknown): string {
  const isTexts = Array.isArray(value) && value.every((each) => typeof each === 'string');
  const text = isTexts ? value.join(',') : plain(value);
  return text === '' || /[\s"=\p{Cc}]/u.test(text) ? JSON.stringify(text) : text;
}
