import type { Clock } from '../../kit/clock.ts';

/** Takes lines for a person while an answer is made. */
export interface AnswerNotices {
  notice(text: string): void;
  readonly clock: Clock;
}

/** Where an answer goes: this process's stdout and stderr, or the process that asked a serve. */
export interface AnswerSink extends AnswerNotices {
  /** Writes data. Resolves when the reader can take more. */
  write(text: string): Promise<void>;
}
