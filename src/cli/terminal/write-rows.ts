import { systemClock } from '../../kit/clock.ts';
import type { Rows } from '../../output/tables/rows.ts';
import type { TextSink } from './io.ts';

/** The characters that are written together. */
const PIECE = 32 * 1024;

/**
 * Writes rows while they come, until the reader has gone. `onWait` is called with true before it waits for the reader,
 * and with false when it goes on.
 */
export async function writeRows(
  stdout: TextSink,
  rows: Rows,
  values: Iterable<readonly unknown[]>,
  onWait: (waits: boolean) => void = () => {},
): Promise<void> {
  let text = '';
  try {
    for (const row of values) {
      text += rows.add(row);
      if (text.length < PIECE) continue;
      onWait(true); // a pipe is written at once, when its reader is ready
      stdout.write(text);
      text = '';
      await stdout.ready();
      await systemClock.yield(); // that the reader has gone is an event
      if (stdout.closed.aborted) return;
      onWait(false);
    }
    text += rows.end();
  } finally {
    onWait(true);
    stdout.write(text);
  }
}
