import type { Clock } from './clock.ts';
import type { LogFields, Logger } from './logger.ts';

/** Logs the steps of a life at `info`, each with the time since its first one, ms. */
export function lifeLog(logger: Logger, clock: Clock): (step: string, fields?: LogFields) => void {
  let since: number | undefined;
  return (step, fields) => {
    since ??= clock.monotonic();
    logger.info(step, { ...fields, ms: Math.round(clock.monotonic() - since) });
  };
}
