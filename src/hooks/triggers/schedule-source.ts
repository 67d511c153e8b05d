import type { CauseNote } from '../../controller/history/causes.ts';
import type { EmitKey, Source, SourceContext } from '../../controller/sources/source.ts';
import { onAbort } from '../../kit/abort.ts';
import type { ObjectKey } from '../../model/key.ts';
import { LOW_PRIORITY } from '../../workqueue/work-queue.ts';
import type { CronSchedule } from './cron-schedule.ts';

/** How often the wall clock is looked at, ms: a machine may have slept, or its time may have been set. */
export const LOOK_MS = 30_000;

/**
 * A source that queues all keys at the times of a schedule, behind changes. Times that are missed, because the machine
 * slept, lead to one round when it wakes. If the clock is set back, the next time is computed again.
 */
export function createScheduleSource(schedule: CronSchedule, keys: () => Iterable<ObjectKey>): Source {
  const source = `schedule ${schedule.text}`;
  const note: CauseNote = { cause: { reason: 'schedule', source }, isChange: false };
  let due: number | undefined;
  return {
    name: source,
    nextAt: () => due,
    start: async (emit: EmitKey, { signal, clock, logger }: SourceContext) => {
      let seen = clock.now();
      due = schedule.next(seen);
      const look = () => {
        const now = clock.now();
        if (due !== undefined && now >= due) {
          if (now - due > 2 * LOOK_MS) logger.warn('a scheduled time was missed; all keys are queued now', { source });
          for (const key of keys()) emit(key, note, LOW_PRIORITY);
          due = schedule.next(now);
        } else if (now < seen) due = schedule.next(now);
        seen = now;
        timer = clock.after(wait(now), look);
      };
      const wait = (now: number) => (due === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, due - now)));
      let timer = clock.after(wait(seen), look);
      onAbort(signal, () => timer.cancel());
    },
  };
}
