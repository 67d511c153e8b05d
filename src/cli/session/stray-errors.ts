import { currentModuleRun } from '../../hooks/run/module.ts';
import type { Logger } from '../../kit/logger.ts';
import { thrownText } from '../../kit/thrown-text.ts';
import type { Session } from './session.ts';

/**
 * Keeps what a hook's module leaves behind (a rejection that is not awaited, a callback that throws after its run) from
 * ending the program: it is reported with the hook's name and key, and the other keys go on. What does not come out of
 * a hook's run still ends it, as an error. Disposing gives the process back.
 */
export function strayErrors(hook: string, session: Session, logger: Logger): Disposable {
  const caught = (error: unknown) => {
    const run = currentModuleRun();
    if (!run) return session.end(error);
    logger.error('the hook left an error behind: nothing awaits what it started', {
      hook,
      key: run.key,
      error: thrownText(error),
    });
  };
  process.on('unhandledRejection', caught);
  process.on('uncaughtException', caught);
  return {
    [Symbol.dispose]() {
      process.off('unhandledRejection', caught);
      process.off('uncaughtException', caught);
    },
  };
}
