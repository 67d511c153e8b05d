import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { onAbort } from '../../kit/abort.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { ContinuityNotices } from '../../stream/notices/continuity-notices.ts';
import { LossNotices } from '../../stream/notices/loss-notices.ts';
import { NoticeBudget } from '../../stream/notices/notice-budget.ts';
import { outagesOf } from '../../stream/outage.ts';
import { OutageHints } from '../hints/outage.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { ConfiguredServer } from '../session/session.ts';
import { OutageReminders } from './outage-reminders.ts';

interface Reporting extends ConfiguredServer {
  notice(text: string): void;
}

/**
 * Reports on stderr how a command's informers fare until the command ends: each fault, what to do about it, and a
 * reminder while it lasts.
 */
export class ContinuityReporter implements Disposable {
  readonly #session: Reporting;
  readonly #targets: () => readonly WatchTarget[];
  readonly #notices = new ContinuityNotices();
  readonly #hints: OutageHints;
  readonly #reminders: OutageReminders;
  readonly #budget: NoticeBudget;
  readonly #losses: LossNotices;
  readonly #ending: Disposable;
  /** Said with the first fault; the reminders say it again. */
  readonly #hinted = new Set<string>();

  constructor(session: Reporting, targets: () => readonly WatchTarget[], { isOneShot = false } = {}) {
    this.#session = session;
    this.#targets = targets;
    this.#hints = new OutageHints(session);
    const { clock } = session;
    const isAway = () => outagesOf(targets(), clock.now()).length > 0;
    this.#budget = new NoticeBudget(clock, (text) => this.#print(text), isAway);
    this.#losses = new LossNotices(clock, (text) => session.notice(text));
    this.#ending = onAbort(session.signal, () => this.#losses[Symbol.dispose]()); // the last lines are below them
    this.#reminders = new OutageReminders({
      targets,
      clock,
      hints: this.#hints,
      isOneShot,
      notice: (text) => this.#print(text),
    });
  }

  observe(event: ContinuityEvent, type: ResourceType): void {
    const text = this.#notices.textOf(event, type);
    const isReported = text !== undefined && this.#report(text, event, type);
    if (isReported && event.kind === 'fault' && event.fault !== 'store') void this.#hint(event.error, type);
    if (event.kind === 'connected') this.#hinted.clear();
    this.#reminders.changed();
  }

  [Symbol.dispose](): void {
    this.#reminders[Symbol.dispose]();
    this.#budget[Symbol.dispose]();
    this.#ending[Symbol.dispose]();
    this.#losses[Symbol.dispose]();
  }

  /**
   * Prints a notice and returns whether it was printed. Notices of a connection that breaks and comes back have a
   * budget; notices of losses have none, and are gathered.
   */
  #report(text: string, event: ContinuityEvent, type: ResourceType): boolean {
    if (event.kind === 'resumed') return this.#budget.print(text);
    if (event.kind === 'fault' && event.fault !== 'store') return this.#budget.print(text, text.replace(/\d+/g, '#'));
    const isLoss = event.kind === 'gap' || event.kind === 'relisted';
    if (isLoss && this.#hasSeveral) this.#losses.add(event, type, text);
    else this.#print(text);
    return true;
  }

  /** Whether several collections are read, which have gaps and relists together. */
  get #hasSeveral(): boolean {
    return this.#targets().reduce((count, { informer }) => count + informer.continuity.length, 0) > 1;
  }

  async #hint(error: unknown, type: ResourceType): Promise<void> {
    const target = this.#targets().find((each) => each.type === type);
    const hint = target && (await this.#hints.of(error, target));
    if (hint === undefined || this.#hinted.has(hint)) return;
    this.#hinted.add(hint);
    this.#print(`hint: ${hint}`);
  }

  #print(text: string): void {
    if (!this.#session.signal.aborted) this.#session.notice(text);
  }
}
