import type { Clock, Timer } from '../../kit/clock.ts';
import { humanDuration } from '../../kit/duration.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { localTime } from '../../output/timestamps.ts';
import { outagesOf, scopeOf } from '../../stream/outage.ts';
import type { OutageHints } from '../hints/outage.ts';
import { causeText } from '../session/cause-text.ts';
import type { WatchTarget } from '../session/informers.ts';
import { remindAt } from './reminder-times.ts';

export interface OutageRemindersOptions {
  readonly targets: () => readonly WatchTarget[];
  readonly clock: Clock;
  readonly notice: (text: string) => void;
  readonly hints: OutageHints;
  /** The command gives up by itself when the server sends nothing, so only faults are reported. */
  readonly isOneShot: boolean;
}

/** One thing that is wrong, and what it is wrong with. */
interface Trouble {
  readonly names: string[];
  readonly text: string;
  readonly error: unknown;
  readonly target: WatchTarget;
}

/**
 * Reports at growing intervals that a type has no connection, or that its initial sync is late: which types, since
 * when, why, and what follows. The intervals begin at the start of the command and at each outage. Disposing ends the
 * reminders.
 */
export class OutageReminders implements Disposable {
  readonly #options: OutageRemindersOptions;
  #beganAt: number;
  #reported = 0;
  #timer: Timer | undefined;

  constructor(options: OutageRemindersOptions) {
    this.#options = options;
    this.#beganAt = options.clock.monotonic();
    this.#arm();
  }

  /** A connection was lost, or found. */
  changed(): void {
    const isWell = this.#troubles().length === 0;
    if (isWell) this.#stop();
    else if (!this.#timer) {
      this.#beganAt = this.#options.clock.monotonic();
      this.#arm();
    }
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#reported = 0;
  }

  #arm(): void {
    const { clock } = this.#options;
    this.#timer = clock.after(this.#beganAt + remindAt(this.#reported) - clock.monotonic(), () => this.#remind());
  }

  #remind(): void {
    const troubles = this.#troubles();
    this.#timer = undefined;
    if (troubles.length === 0) {
      this.#stop();
      return;
    }
    this.#reported++;
    this.#arm();
    for (const { names, text } of troubles) this.#options.notice(`${names.join(', ')}: ${text}`);
    void this.#hint(troubles);
  }

  async #hint(troubles: readonly Trouble[]): Promise<void> {
    const { hints, notice } = this.#options;
    const all = await Promise.all(troubles.map(({ error, target }) => hints.of(error, target)));
    if (!this.#timer) return;
    for (const hint of new Set(all)) if (hint !== undefined) notice(`hint: ${hint}`);
  }

  #troubles(): Trouble[] {
    const { targets, clock, isOneShot } = this.#options;
    const troubles = new Map<string, Trouble>();
    const add = (target: WatchTarget, scope: string | undefined, text: string, error: unknown) => {
      const name = formatGroupResource(target.type.gvr) + (scope ? ` in ${scope}` : '');
      const same = troubles.get(text);
      if (same) same.names.push(name);
      else troubles.set(text, { names: [name], text, error, target });
    };
    for (const { target, scope, since, ms, error, why } of outagesOf(targets(), clock.now())) {
      const cause = error === undefined ? why : causeText(error);
      const when = `no connection for ${humanDuration(ms)}, since ${localTime(new Date(since).toISOString(), 'seconds')}`;
      add(target, scope, `${when} (${cause}); what happens meanwhile is not seen yet; trying again`, error);
    }
    for (const target of targets()) {
      if (target.informer.hasSynced) continue;
      target.informer.continuity.forEach(({ connection, resourceVersion }, i) => {
        if (connection.state !== 'connecting' || resourceVersion !== '' || target.isLeftOut?.(i)) return;
        const after = humanDuration(Math.max(0, clock.now() - connection.since));
        const { error } = connection;
        if (error === undefined && isOneShot) return;
        const text =
          error === undefined ? 'the server has not finished its answer' : `${causeText(error)}; trying again`;
        add(target, scopeOf(target, i), `no initial sync after ${after}: ${text}`, error);
      });
    }
    return [...troubles.values()];
  }
}
