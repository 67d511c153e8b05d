import type { Io } from './io.ts';

const ERASE = '\r\x1b[K';

/**
 * One line on stderr that tells how far something is, and gives way to everything else that is printed on the same terminal.
 * Where stderr is no terminal it does nothing: a log has no use for it.
 */
export class StatusLine {
  readonly #io: Io;
  #shown = false;

  constructor(io: Io) {
    this.#io = io;
    if (!io.stderr.isTerminal) return;
    const makeRoom = () => this.clear();
    io.stderr.beforeText = makeRoom;
    if (io.stdout.isTerminal) io.stdout.beforeText = makeRoom;
  }

  /** Shows a text in place of the one before, cut at the terminal's width. */
  show(text: string): void {
    const { stderr } = this.#io;
    if (!stderr.isTerminal) return;
    this.clear();
    stderr.writeNow(text.slice(0, Math.max(1, (stderr.columns ?? 80) - 1)));
    this.#shown = true;
  }

  /** Leaves the line as if nothing had been there. */
  clear(): void {
    if (!this.#shown) return;
    this.#shown = false;
    this.#io.stderr.writeNow(ERASE);
  }
}
