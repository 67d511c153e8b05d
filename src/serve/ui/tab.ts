import { scope } from '../../kit/abort.ts';
import { Bell } from '../../kit/bell.ts';
import { InformerError } from '../../kit/error.ts';
import { Glances } from './glances.ts';
import type { HubListener, UiHub } from './hub.ts';
import { ObjectFeed } from './object-feed.ts';
import { pastChanges, programAt } from './past.ts';
import { prepareEvents } from './related.ts';
import { RowFeed } from './row-feed.ts';
import { cacheNamed, TableView } from './table-view.ts';
import type { TimelineLane } from './timeline.ts';
import type { UiProgram } from './ui-program.ts';
import type { UiMessage, UiQuery, UiView } from './wire.ts';

/** Where the messages of a page go. */
export interface TabOutlet {
  /** Writes a message. False: wait for `drained` before the next one. */
  write(message: UiMessage): boolean;
  /** Resolves when the page has read what was written. Rejects with the signal's reason. */
  drained(signal: AbortSignal): Promise<void>;
}

/** Changes are gathered for this long before they are sent, ms. */
const GATHER_MS = 100;
/** The state is sent at least this often, so that a page can see that the program lives, ms. */
const HEARTBEAT_MS = 2000;
/** How often rows are looked at again whose expressions depend on the time, ms. */
const TIME_PASSES_MS = 10_000;

/**
 * One open page. It pulls: nothing is prepared while the page does not read, so a page that sleeps costs only the keys
 * that changed, which are bounded.
 */
export class Tab implements HubListener {
  readonly session: string;
  readonly #program: UiProgram;
  readonly #hub: UiHub;
  readonly #bell = new Bell();
  #rows: RowFeed | undefined;
  #glances: Glances | undefined;
  #object: ObjectFeed | undefined;
  /** Ends what is read for the page when the page has gone. */
  readonly #ending = new AbortController();
  /** Rows and object are of a moment that is over: nothing in them changes. */
  #isPast = false;
  /** The numbers of the views that chose the rows and the object. */
  #rowsNumber = -1;
  #objectNumber = -1;
  /** The messages that go before rows, in this order. */
  #owed: ('state' | 'timeline')[] = ['state', 'timeline'];
  /** The versions of the lanes that the page has. */
  readonly #lanesSent = new Map<TimelineLane, number>();

  constructor(session: string, program: UiProgram, hub: UiHub) {
    this.session = session;
    this.#program = program;
    this.#hub = hub;
  }

  changed(type: string, key: string): void {
    if (this.#isPast) return;
    if (this.#rows?.type === type) this.#rows.changed(key);
    this.#object?.changed(type, key);
    this.#bell.wake();
  }

  stateChanged(): void {
    this.#owed = ['state', 'timeline'];
    this.#bell.wake();
  }

  /**
   * Shows something else. Rejects with `argument` for a question that is not valid; then the page keeps what it had. A
   * view that is older than the present one is ignored.
   */
  async show({ number, question, subject, at }: UiView): Promise<void> {
    const isPast = at !== undefined;
    const program = isPast ? await programAt(this.#program, at, { type: question?.type, subject }) : this.#program;
    const view = question ? await TableView.of(program, question) : undefined;
    const shown = subject ? { cache: cacheNamed(program, subject.type), subject } : undefined;
    if (shown) await prepareEvents(program);
    const changes =
      subject && isPast && program.past ? await pastChanges(program.past, subject, at, this.#ending.signal) : undefined;
    if (number > Math.max(this.#rowsNumber, this.#objectNumber)) this.#isPast = isPast;
    if (question !== undefined && number > this.#rowsNumber) {
      this.#rowsNumber = number;
      if (view?.cache.informer !== this.#glances?.cache.informer) this.#glances = view && new Glances(view.cache);
      this.#rows = view && new RowFeed(view, number, this.#glances);
    }
    if (subject !== undefined && number > this.#objectNumber) {
      this.#objectNumber = number;
      const history = changes ? { of: () => changes } : this.#hub.history;
      this.#object = shown && new ObjectFeed(program, { ...shown, number }, history, this.#hub.redactor);
    }
    this.stateChanged();
  }

  /** Sends until the signal aborts, or the outlet fails. */
  async run(outlet: TabOutlet, ending: AbortSignal): Promise<void> {
    const { clock } = this.#program;
    using running = scope(ending);
    const { signal } = running;
    using _listening = this.#hub.listen(this);
    const beats = this.#every(HEARTBEAT_MS, signal, () => this.stateChanged());
    const passes = this.#every(TIME_PASSES_MS, signal, () => this.#rows?.timePassed()); // a heartbeat sends what changed
    try {
      outlet.write(this.#hello());
      for (;;) {
        for (let message = this.#next(); message !== undefined; message = this.#next()) {
          if (message !== 'more' && !outlet.write(message)) await outlet.drained(signal);
          await clock.yield();
          signal.throwIfAborted();
        }
        await this.#bell.wait(signal); // all that was owed is sent: nothing is awaited since the last look
        await clock.sleep(GATHER_MS, { signal });
      }
    } catch (error) {
      if (!ending.aborted) throw error;
    } finally {
      this.#ending.abort(new Error('the page has gone'));
      running[Symbol.dispose]();
      await Promise.all([beats, passes]);
    }
  }

  #hello(): UiMessage {
    const { name, server, startedAt, clock } = this.#program;
    const indexes = this.#program.indexNames();
    return {
      event: 'hello',
      data: { session: this.session, program: name, server, startedAt, indexes, now: clock.now() },
    };
  }

  #next(): UiMessage | 'more' | undefined {
    const now = this.#program.clock.now();
    const owed = this.#owed.shift();
    if (owed === 'state') return { event: 'state', data: { now, types: this.#hub.states } };
    if (owed === 'timeline') {
      const changed = this.#hub.lanes.filter((lane) => this.#lanesSent.get(lane) !== lane.version);
      for (const lane of changed) this.#lanesSent.set(lane, lane.version);
      const lanes = changed.map(({ lane }) => lane);
      if (lanes.length > 0) return { event: 'timeline', data: { now, since: this.#program.startedAt, lanes } };
    }
    return this.#object?.next() ?? this.#rows?.next();
  }

  async #every(ms: number, signal: AbortSignal, run: () => void): Promise<void> {
    const { clock } = this.#program;
    while (!signal.aborted) {
      await clock.sleep(ms, { signal }).catch(() => {});
      if (signal.aborted) return;
      run();
    }
  }
}

/** Reads the body of a view. Throws `argument` for anything else. */
export function readView(value: unknown): UiView {
  const view = Object(value) as UiView;
  const isView =
    typeof view.session === 'string' &&
    Number.isInteger(view.number) &&
    (view.at === undefined || Number.isFinite(view.at));
  if (!isView || (view.question && !isUiQuery(view.question)) || (view.subject && !isTexts(view.subject)))
    throw new InformerError('argument', 'the request is not one that the page of this version sends', {
      hint: 'reload the page',
    });
  return view;
}

/** Whether each box of a question has a text, and its index two. */
export function isUiQuery(value: unknown): value is UiQuery {
  return isTexts(value, ([name, each]) => name === 'index' && isTexts(each));
}

/** A map of texts, but for the entries that `isOther` accepts. */
function isTexts(value: unknown, isOther: (entry: [string, unknown]) => boolean = () => false): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every((entry) => typeof entry[1] === 'string' || isOther(entry));
}
