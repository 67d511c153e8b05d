import { Bell } from '../kit/bell.ts';
import type { Clock } from '../kit/clock.ts';
import { jsonText } from '../kit/exact-json.ts';
import type { Status } from '../model/status.ts';
import type { RecordedForm } from './recorded-form.ts';
import type { RecordedState } from './state-text.ts';

/** A quiet watch gets a sign of life this often, ms. */
const BOOKMARK_MS = 15_000;

export interface ReplayWatchOptions {
  readonly form: RecordedForm;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** The resourceVersion of a bookmark; undefined if the watch wants none. */
  readonly bookmark: (() => string) | undefined;
  /** Called when it has read all that has happened, and when it has ended. */
  onIdle(): void;
}

/** A state of an object in a watch. */
export interface WatchedState {
  readonly namespace: string;
  /** The resourceVersion of the change. */
  readonly version: string;
  /** Undefined: it is new. */
  readonly before: RecordedState | undefined;
  readonly after: RecordedState;
  readonly isGone: boolean;
}

/** One open watch of a replay. */
export class ReplayWatch {
  readonly #options: ReplayWatchOptions;
  readonly #bell = new Bell();
  #lines: string[] = [];
  #isFirst = true;
  #isOver = false;
  /** True: its reader has taken everything, and waits for more. */
  isIdle = false;

  constructor(options: ReplayWatchOptions) {
    this.#options = options;
  }

  /** The number of lines that its reader has not taken. */
  get backlog(): number {
    return this.#lines.length;
  }

  /** Takes a change; one that its selector does not see has no line. */
  take({ namespace, version, before, after, isGone }: WatchedState): void {
    const { form, namespace: own } = this.#options;
    if (own !== undefined && own !== namespace) return;
    const [was, is] = [before !== undefined && form.selects(before), !isGone && form.selects(after)];
    if (!was && !is) return;
    const shown = isGone || is ? after : (before as RecordedState);
    this.#push(is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED', form.watched(ofVersion(shown, version), this.#isFirst));
    this.#isFirst = false;
  }

  /** Ends the watch with an error, as a server does. */
  fail(status: Status): void {
    this.#push('ERROR', jsonText(status));
    this.#isOver = true;
  }

  async *body(): AsyncGenerator<Uint8Array, void, void> {
    const { clock, signal, bookmark, form, onIdle } = this.#options;
    for (;;) {
      if (this.#lines.length > 0) {
        const text = this.#lines.join('');
        this.#lines = [];
        yield Buffer.from(text);
        continue;
      }
      if (this.#isOver) return;
      this.isIdle = true;
      onIdle();
      using _sign = clock.after(BOOKMARK_MS, () => bookmark && this.#push('BOOKMARK', form.bookmark(bookmark())));
      await this.#bell.wait(signal);
    }
  }

  /** Takes no more: its reader has gone. */
  end(): void {
    this.isIdle = true;
    this.#isOver = true;
    this.#lines = [];
    this.#options.onIdle();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  #push(type: string, object: string): void {
    if (this.#isOver) return;
    this.isIdle = false;
    this.#lines.push(`{"type":"${type}","object":${object}}\n`);
    this.#bell.wake();
  }
}

/** The state as a watch shows it: with the version of the change, which of a deletion is a later one. */
export function ofVersion(state: RecordedState, resourceVersion: string): RecordedState {
  const { metadata } = state.object as { readonly metadata?: Readonly<Record<string, unknown>> };
  if (metadata?.resourceVersion === resourceVersion) return state;
  return { ...state, object: { ...state.object, metadata: { ...metadata, resourceVersion } } };
}
