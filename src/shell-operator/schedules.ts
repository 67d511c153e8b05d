import { LOOK_MS } from '../hooks/triggers/schedule-source.ts';
import { onAbort } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import type { CrontabTimes } from './crontab.ts';
import type { ScheduleBinding } from './hook-config.ts';
import type { OperatorHook } from './load-hooks.ts';

export interface SchedulesOptions {
  /** The crontabs of all hooks, by their texts. */
  readonly times: ReadonlyMap<string, CrontabTimes>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onTime: (hook: OperatorHook, binding: ScheduleBinding) => void;
}

/** Calls hooks at the times of their crontabs. At one time they are called in their order. */
export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #hooks: OperatorHook[] = [];
  readonly #running = new Set<string>();

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  /** Calls a hook from now on. */
  add(hook: OperatorHook): void {
    this.#hooks.push(hook);
    for (const { crontab } of hook.config.schedules) {
      const times = this.#options.times.get(crontab);
      if (times && !this.#running.has(crontab)) this.#run(crontab, times);
    }
  }

  #run(crontab: string, times: CrontabTimes): void {
    this.#running.add(crontab);
    const { clock, signal } = this.#options;
    let seen = clock.now();
    let due = times.next(seen);
    const look = () => {
      const now = clock.now();
      if (due !== undefined && now >= due) {
        this.#call(crontab);
        due = times.next(now);
      } else if (now < seen) due = times.next(now);
      seen = now;
      timer = clock.after(waitMs(now), look);
    };
    const waitMs = (now: number) => (due === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, due - now)));
    let timer = clock.after(waitMs(seen), look);
    onAbort(signal, () => timer.cancel());
  }

  #call(crontab: string): void {
    for (const hook of this.#hooks)
      for (const binding of hook.config.schedules) if (binding.crontab === crontab) this.#options.onTime(hook, binding);
  }
}
