import type { CompiledOutput } from '../../output/compiled-output.ts';
import { ENDED_MS, INTERRUPTED_MS } from '../../output/jq/jq-limits.ts';
import { type FailedRecord, JqStream } from '../../output/jq/jq-stream.ts';
import type { TextSink } from '../terminal/io.ts';
import type { CommandSession } from './session.ts';

/** Where the data of a stream goes. */
export interface StreamOutlet extends Pick<TextSink, 'write' | 'ready'> {
  /** Resolves when it is known of all that was written whether it could be printed. Absent: it is known at once. */
  readonly settled?: () => Promise<void>;
  /** Lets out what waits. Resolves with the number of records that did not go out. `isInterrupted`: a person waits for the end. */
  end(isInterrupted: boolean): Promise<number>;
}

/**
 * Stdout; for `-o jq` behind the expression, which is ended with the session's error if it takes too long or too much
 * memory. `onFailure` gets each record that it fails on.
 */
export function streamOutlet(
  session: CommandSession,
  { jq }: CompiledOutput,
  onFailure: (error: Error, where: string, record: FailedRecord) => void,
): StreamOutlet {
  const { stdout } = session.io;
  if (!jq) return { write: stdout.write.bind(stdout), ready: stdout.ready.bind(stdout), end: async () => 0 };
  const stream = new JqStream({
    jq,
    target: stdout,
    clock: session.clock,
    terminal: stdout.isTerminal,
    onFailure,
    onLimit: (error) => session.end(error),
  });
  return {
    write: (text) => stream.write(text),
    ready: () => stream.ready(),
    settled: () => stream.caughtUp(session.signal).catch(() => {}), // the session has ended
    end: (isInterrupted) => stream.end(isInterrupted ? INTERRUPTED_MS : ENDED_MS),
  };
}

/** For a person: what an expression that was cut short did not print. */
export const unendedText = (records: number) =>
  `-o jq was cut short: ${records} record${records === 1 ? ' is' : 's are'} not printed`;

/**
 * An expression that fails on an object ends the stream with its error: going on would be to leave events out in
 * silence.
 */
export function orEnd<T>(session: CommandSession, print: () => T): T | undefined {
  try {
    return print();
  } catch (error) {
    session.end(error);
    return undefined;
  }
}
