import type { Clock } from '../../kit/clock.ts';

/** Where an answer goes: this process's stdout and stderr, or the process that asked a serve. */
export interface AnswerSink {
  /** Writes data. Resolves when the reader can take more. */
  write(text: string): Promise<void>;
  /** One line for a person. */
  notice(text: string): void;
  readonly clock: Clock;
}
