import { messageOf } from './error.ts';
import type { Logger } from './logger.ts';

/**
 * Calls a user's callback whose result does not matter. An error that it throws or rejects with is logged and not
 * passed on, so that a callback does not stop the informer. `what` names the callback in the log.
 */
export function notify<A extends readonly unknown[]>(
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

/** The result of a call that threw: all its members are functions that do nothing. */
const NOTHING: object = new Proxy({}, { get: () => () => undefined });

/** The same object, but its functions log errors instead of throwing, as in {@link notify}; so do their results. */
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
