import type { Clock, Timer } from '../../kit/clock.ts';
import type { LiveTable } from '../../output/live/live-table.ts';
import { type EventEnvelope, eventWordOf } from '../../stream/envelope.ts';
import type { StreamTarget } from '../../stream/event-stream.ts';
import type { Outage } from '../../stream/outage.ts';
import type { StreamSummary } from '../../stream/summary.ts';
import type { Io } from '../terminal/io.ts';
import { type KeyInput, type KeyPress, KeyReader } from '../terminal/keys.ts';
import type { StatusDisplay } from '../terminal/status-line.ts';
import { LiveControls } from './live-controls.ts';

/** How soon after a change the screen shows it, and how often ages are renewed. */
const DRAW_AFTER_MS = 100;
const TICK_MS = 1000;
/** A heading, the counts and the keys; one row stays when a key scrolls by a screen. */
const LINES_OF_NO_ROWS = 4;

export interface LiveViewOptions {
  readonly table: LiveTable;
  readonly io: Io;
  readonly clock: Clock;
  readonly summary: StreamSummary;
  /** The sources without a connection. */
  readonly outages: () => readonly Outage[];
  /** Where keys come from; undefined = none are read. */
  readonly input?: KeyInput | undefined;
  /** Asked to end, by a key. */
  readonly onQuit?: (() => void) | undefined;
  /** See `EventWriter`. */
  readonly limit?: number | undefined;
  readonly onLimit?: (() => void) | undefined;
}

/**
 * Shows a stream as one table that is redrawn in place, at most ten times a second, and at once when the terminal's
 * size changes or a key is pressed. Other output on the same terminal appears above it. While the process is stopped
 * (Ctrl-Z) the terminal is as it was before; when it goes on the table is drawn below what came meanwhile. Disposing
 * leaves the last frame, and the terminal as it was.
 */
export class LiveView implements Disposable, StatusDisplay {
  readonly #options: LiveViewOptions;
  readonly #resizing: Disposable;
  #timer: Timer;
  #isDue = false;
  #note: string | undefined;
  #keys: KeyReader | undefined;
  #controls: LiveControls | undefined;
  #isStopped = false;
  #isClosed = false;

  constructor(options: LiveViewOptions) {
    const { io, clock } = options;
    this.#options = options;
    this.#resizing = io.stdout.onResize(() => this.#draw());
    this.#timer = clock.after(TICK_MS, () => this.#draw());
    if (io.stderr.isTerminal) io.stderr.beforeText = () => this.#makeRoom();
    if (options.input) this.#keys = new KeyReader(options.input, (press) => this.#pressed(press));
    this.#keys?.start();
    if (this.#keys?.isReading)
      this.#controls = new LiveControls(options.table, () => (io.stdout.rows ?? 24) - LINES_OF_NO_ROWS);
    process.on('SIGTSTP', this.#suspend);
    process.on('SIGCONT', this.#resume);
  }

  /** The first states are there. */
  loaded(): void {
    this.#options.table.loaded();
    if (!this.#isDue) this.#soon();
  }

  print(event: EventEnvelope, { type }: StreamTarget): undefined {
    const { summary, limit, onLimit, table } = this.#options;
    if (limit !== undefined && summary.total >= limit) return;
    table.update({ event, type });
    summary.count(eventWordOf(event));
    if (!this.#isDue) this.#soon();
    if (summary.total === limit) onLimit?.();
  }

  show(text: string): void {
    this.#note = text;
    this.#options.table.note(text);
    if (!this.#isDue) this.#soon();
  }

  clear(own?: string): void {
    if (own !== undefined && own !== this.#note) return;
    this.#note = undefined;
    this.#options.table.note(undefined);
    if (!this.#isDue) this.#soon();
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#options.io.stdout.draw(this.#options.table.clear()); // terminals write ^C where the cursor is
    this.#options.table.finish();
    this.#draw();
    this.#isClosed = true;
    this.#timer.cancel();
    this.#resizing[Symbol.dispose]();
    this.#keys?.stop();
    process.off('SIGTSTP', this.#suspend);
    process.off('SIGCONT', this.#resume);
    this.#options.io.stderr.beforeText = undefined;
    this.#options.io.stdout.draw(this.#options.table.end());
  }

  readonly #suspend = () => {
    const { io, table } = this.#options;
    this.#timer.cancel();
    this.#isStopped = true;
    io.stdout.draw(table.end());
    this.#keys?.stop();
    process.kill(process.pid, 'SIGSTOP'); // the default action of SIGTSTP
  };

  readonly #resume = () => {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#keys?.start();
    this.#draw();
  };

  #pressed(press: KeyPress): void {
    const request = this.#controls?.press(press);
    if (request === undefined) this.#draw();
    else if (request === 'quit') this.#options.onQuit?.();
    else process.kill(0, request === 'suspend' ? 'SIGTSTP' : 'SIGINT'); // to the whole group, as the terminal does while it makes signals
  }

  #soon(): void {
    this.#isDue = true;
    this.#timer.cancel();
    this.#timer = this.#options.clock.after(DRAW_AFTER_MS, () => this.#draw());
  }

  #draw(): void {
    if (this.#isClosed || this.#isStopped) return;
    const { table, io, clock } = this.#options;
    this.#isDue = false;
    this.#timer.cancel();
    table.disconnected(this.#options.outages().map(({ target: { type }, since }) => ({ type, since })));
    const size = { columns: io.stdout.columns ?? 80, rows: io.stdout.rows ?? 24 };
    io.stdout.draw(table.frame(size, clock.now(), clock.monotonic()));
    this.#timer = clock.after(TICK_MS, () => this.#draw());
  }

  /** The frame goes, the text comes where it was, and a new frame below that. */
  #makeRoom(): void {
    if (this.#isClosed) return;
    this.#options.io.stdout.draw(this.#options.table.clear());
    this.#soon();
  }
}
