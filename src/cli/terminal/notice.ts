import { continued } from '../../output/escape.ts';
import type { Io } from './io.ts';
import { logJson } from './logging.ts';

/** Writes one line on stderr, for what a person should know. A `table` below it has lines of its own. */
export function writeNotice(io: Io, text: string, table = ''): void {
  io.stdout.flush(); // on a terminal, or with 2>&1, they are one
  if (io.stderr.isJson) logJson(io, 'info', text, table === '' ? {} : { details: table.trimEnd().split('\n') });
  else io.stderr.writeNow(`${continued(text)}\n${table}`);
}
