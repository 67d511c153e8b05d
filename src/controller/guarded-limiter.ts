import { messageOf } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import type { RateLimiter } from '../workqueue/rate-limiter.ts';

/**
 * A user's rate limiter that cannot end a controller or make it retry without a delay. Where it throws, or returns no
 * number, the error is logged and `fallback` answers. Both limiters count every failure of a key.
 */
export function guardedLimiter(own: RateLimiter, fallback: RateLimiter, logger: Logger): RateLimiter {
  const guarded = <T>(call: keyof RateLimiter, instead: T, ask: () => T): T => {
    try {
      return ask();
    } catch (error) {
      logger.error('the rate limiter failed', { call, error: messageOf(error) });
      return instead;
    }
  };
  return {
    when: (key) => guarded('when', fallback.when(key), () => checked(own.when(key))),
    forget(key) {
      fallback.forget(key);
      guarded('forget', undefined, () => own.forget(key));
    },
    numRequeues: (key) => guarded('numRequeues', fallback.numRequeues(key), () => checked(own.numRequeues(key))),
    useClock: (clock) => guarded('useClock', undefined, () => own.useClock?.(clock)),
    decidedBy: () => guarded('decidedBy', undefined, () => own.decidedBy?.()),
  };
}

function checked(answer: unknown): number {
  if (typeof answer === 'number' && !Number.isNaN(answer)) return answer;
  throw new TypeError(`expected a number, got ${typeof answer === 'number' ? 'NaN' : typeof answer}`);
}
