import { messageOf } from './error.ts';
import type { Logger } from './logger.ts';

/**
 * Calls a function of the user's that is only told something. What it throws, or a promise of it rejects with, is logged and goes no further: a
 * callback must not end what it is told about.
 */
export function tell<A extends readonly unknown[]>(
  what: string,
  callback: ((...args: A) => unknown) | undefined,
  logger: Logger,
  ...args: A
): void {
  if (!callback) return;
  const failed = (error: unknown) => logger.error(`${what} threw`, { error: messageOf(error) });
  try {
    const result = callback(...args);
    if (result instanceof Object && 'then' in result) Promise.resolve(result).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** In place of what a call that threw would have made: all its members are functions that do nothing. */
const NOTHING: object = new Proxy({}, { get: () => () => undefined });

/** The same object, whose functions throw nothing: see {@link tell}. What they return, and objects they make, are guarded too. */
export function guarded<T extends object>(what: string, target: T, logger: Logger): T {
  return new Proxy(target, {
    get(object, name) {
      const member = Reflect.get(object, name, object) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        try {
          const result: unknown = Reflect.apply(member, object, args);
          return result instanceof Object && typeof result !== 'function' ? guarded(what, result, logger) : result;
        } catch (error) {
          logger.error(`${what} threw`, { call: String(name), error: messageOf(error) });
          return NOTHING;
        }
      };
    },
  });
}
