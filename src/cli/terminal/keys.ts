import type { Readable } from 'node:stream';

/** The effect of a key in a live view or a tour. */
export type Key =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'top'
  | 'bottom'
  | 'quit'
  | 'enter'
  | 'skip'
  | 'escape'
  | 'erase'
  | 'erase-all'
  | 'interrupt'
  | 'suspend';

/** As less(1) and vi(1) have them. Source: xterm's control sequences, both for normal and application cursor keys. */
const KEYS: Readonly<Record<string, Key>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  k: 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  j: 'down',
  '\x1b[C': 'right',
  '\x1bOC': 'right',
  '\x1b[D': 'left',
  '\x1bOD': 'left',
  '\x1b[5~': 'page-up',
  b: 'page-up',
  '\x1b[6~': 'page-down',
  ' ': 'page-down',
  '\x1b[H': 'top',
  '\x1bOH': 'top',
  '\x1b[1~': 'top',
  g: 'top',
  '\x1b[F': 'bottom',
  '\x1bOF': 'bottom',
  '\x1b[4~': 'bottom',
  G: 'bottom',
  q: 'quit',
  '\r': 'enter',
  '\n': 'enter',
  s: 'skip',
  '\x1b': 'escape',
  '\x7f': 'erase',
  '\b': 'erase',
  '\x15': 'erase-all',
  '\x03': 'interrupt',
  '\x1a': 'suspend',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters
const SEQUENCE = /\x1b(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])|[\s\S]/gu;

/** A key that was pressed: its name if it has one, and what the terminal sent. */
export interface KeyPress {
  readonly key: Key | undefined;
  readonly text: string;
}

/** The keys in what a terminal sent, in their order. */
export function keysOf(text: string): KeyPress[] {
  return [...text.matchAll(SEQUENCE)].map(([sequence]) => ({ key: KEYS[sequence], text: sequence }));
}

/** As much of a terminal's input as reading keys needs: `process.stdin` is one. */
export interface KeyInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

/**
 * Reads single keys from a terminal. While it reads, the terminal makes no signals of Ctrl-C and Ctrl-Z: they come as
 * keys. Where the input is no terminal it does nothing. Disposing gives the terminal back as it was.
 */
export class KeyReader implements Disposable {
  readonly #input: KeyInput;
  readonly #onData: (text: string) => void;
  #isReading = false;

  constructor(input: KeyInput, onKey: (press: KeyPress) => void) {
    this.#input = input;
    this.#onData = (text) => {
      for (const press of keysOf(text)) onKey(press);
    };
  }

  start(): void {
    if (this.#isReading || this.#input.isTTY !== true || !this.#input.setRawMode) return;
    this.#isReading = true;
    this.#input.setRawMode(true);
    this.#input.setEncoding('utf8');
    this.#input.on('data', this.#onData);
    this.#input.resume();
  }

  /** Whether keys are read. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Lets go of the terminal; `start` takes it again. */
  stop(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.#input.setRawMode?.(false);
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}
