import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import type { Sessions } from '../session/session.ts';

/** Answers to the terminal of this process. */
export function stdoutSink({ io: { stdout }, clock, notice }: Sessions): AnswerSink {
  return {
    clock,
    notice: (text) => notice(text),
    async write(text) {
      if (!stdout.write(text)) await stdout.ready();
    },
  };
}
