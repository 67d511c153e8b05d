import { cellText } from '../../output/escape.ts';
import { cutToWidth } from '../../output/tables/display-width.ts';
import { canRedraw, type Io, type TextSink } from './io.ts';

const ERASE = '\r\x1b[K';

/** A place for one line of progress, which replaces the line before. */
export interface StatusDisplay {
  show(text: string): void;
  /** Takes the line away; with `own` only if it still shows that text. */
  clear(own?: string): void;
}

/**
 * One line of progress on stderr. Everything else that is printed on the same terminal appears above it.
 * Where stderr is no terminal, or one that cannot write over what it shows, it does nothing: a log has no use for it.
 */
export class StatusLine implements StatusDisplay {
  readonly #io: Io;
  readonly #canRedraw: boolean;
  #text: string | undefined;
  #isShown = false;
  #isWriting = false;
  /** True if the last text ended its line. */
  #isLineFree = true;

  constructor(io: Io) {
    this.#io = io;
    this.#canRedraw = canRedraw(io, io.stderr);
    if (!this.#canRedraw) return;
    this.#standBelow(io.stderr);
    if (io.stdout.isTerminal) this.#standBelow(io.stdout);
  }

  /** Shows a text in place of the one before, cut at the terminal's width. */
  show(text: string): void {
    if (!this.#canRedraw) return;
    this.#text = text;
    this.#erase();
    this.#draw();
  }

  /** Leaves the line as if nothing had been there. */
  clear(own?: string): void {
    if (own !== undefined && own !== this.#text) return;
    this.#text = undefined;
    this.#erase();
  }

  #standBelow(sink: TextSink): void {
    sink.beforeText = () => this.#erase();
    sink.afterText = (text) => {
      if (this.#isWriting) return;
      this.#isLineFree = text.endsWith('\n');
      this.#draw();
    };
  }

  #draw(): void {
    const { stderr } = this.#io;
    if (this.#text === undefined || this.#isShown || !this.#isLineFree) return;
    this.#write(cutToWidth(cellText(this.#text), Math.max(1, (stderr.columns ?? 80) - 1)));
    this.#isShown = true;
  }

  #erase(): void {
    if (!this.#isShown || this.#isWriting) return;
    this.#isShown = false;
    this.#write(ERASE);
  }

  #write(text: string): void {
    this.#isWriting = true;
    this.#io.stderr.draw(text);
    this.#isWriting = false;
  }
}
