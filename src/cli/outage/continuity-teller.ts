import type { ContinuityEvent } from '../../informer/watch/ledger.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { outagesOf } from '../../stream/outage.ts';
import { ContinuityNotices } from '../session/continuity-notices.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { NoticeBudget } from './notice-budget.ts';
import { OutageHints } from './outage-hints.ts';
import { OutageReminders } from './outage-reminders.ts';

type Telling = Pick<Session, 'notice' | 'signal' | 'clock' | 'client' | 'config'>;

/** Tells on stderr how a command's informers go on, until it ends: what went wrong, what to do about it, and again while it lasts. */
export class ContinuityTeller implements Disposable {
  readonly #session: Telling;
  readonly #targets: () => readonly WatchTarget[];
  readonly #notices = new ContinuityNotices();
  readonly #hints: OutageHints;
  readonly #reminders: OutageReminders;
  readonly #budget: NoticeBudget;
  /** Said with the first fault; the reminders say it again. */
  readonly #hinted = new Set<string>();

  constructor(session: Telling, targets: () => readonly WatchTarget[], { isOneShot = false } = {}) {
    this.#session = session;
    this.#targets = targets;
    this.#hints = new OutageHints(session);
    const { clock } = session;
    const isAway = () => outagesOf(targets(), clock.now()).length > 0;
    this.#budget = new NoticeBudget(clock, (text) => this.#tell(text), isAway);
    this.#reminders = new OutageReminders({ targets, clock, hints: this.#hints, isOneShot, notice: (text) => this.#tell(text) });
  }

  heard(event: ContinuityEvent, type: ResourceType): void {
    const text = this.#notices.textOf(event, type);
    const isTold = text !== undefined && this.#report(text, event);
    if (isTold && event.kind === 'fault' && event.fault !== 'store') void this.#hint(event.error, type);
    if (event.kind === 'connected') this.#hinted.clear();
    this.#reminders.changed();
  }

  [Symbol.dispose](): void {
    this.#reminders[Symbol.dispose]();
    this.#budget[Symbol.dispose]();
  }

  /** Whether it was told. What a connection that breaks and comes back has to say is held to a budget; losses are not. */
  #report(text: string, event: ContinuityEvent): boolean {
    if (event.kind === 'resumed') return this.#budget.tell(text);
    if (event.kind === 'fault' && event.fault !== 'store') return this.#budget.tell(text, text.replace(/\d+/g, '#'));
    this.#tell(text);
    return true;
  }

  async #hint(error: unknown, type: ResourceType): Promise<void> {
    const target = this.#targets().find((each) => each.type === type);
    const hint = target && (await this.#hints.of(error, target));
    if (hint === undefined || this.#hinted.has(hint)) return;
    this.#hinted.add(hint);
    this.#tell(`hint: ${hint}`);
  }

  #tell(text: string): void {
    if (!this.#session.signal.aborted) this.#session.notice(text);
  }
}
