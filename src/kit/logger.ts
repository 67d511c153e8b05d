export type LogFields = Readonly<Record<string, unknown>>;
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Four levels, a message that stays the same for the same thing, and fields for what varies. The library is silent unless given one. */
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
