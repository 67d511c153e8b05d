import { readFileSync, statSync } from 'node:fs';
import { InformerError, messageOf } from '../../kit/error.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { Recorder } from '../../record/recorder.ts';
import type { RecordFlags } from '../args/record-flags.ts';
import type { CommandSession } from '../session/session.ts';

/** The recorder that `--record` asks for. Throws `argument` for values that cannot be used, `store` for the file. */
export function recorderOf(
  flags: RecordFlags,
  { clock, notice }: CommandSession,
  command: string,
): Recorder | undefined {
  if (flags.record === undefined) return undefined;
  return Recorder.open({
    file: flags.record,
    clock,
    command,
    notice: (text) => notice(`${flags.record}: ${text}`),
    key: flags['record-key'] === undefined ? undefined : keyOf(flags['record-key']),
    keepMs: flags['record-keep'],
    mostBytes: flags['record-size'] === undefined ? undefined : bytesOf(flags['record-size']),
  });
}

/** The least bytes of a key that cannot be guessed. */
const SHORTEST_KEY = 16;

function keyOf(file: string): Uint8Array {
  const refused = (why: string, cause?: unknown) =>
    new InformerError('argument', `the key of --record-key cannot be used: ${why}`, {
      cause,
      hint: `openssl rand -out ${file} 32 && chmod 600 ${file} makes one`,
    });
  let key: Uint8Array;
  try {
    key = readFileSync(file);
  } catch (error) {
    throw refused(messageOf(error), error);
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) throw refused(`others can read ${file}`);
  if (key.length < SHORTEST_KEY) throw refused(`${file} has less than ${SHORTEST_KEY} bytes`);
  return key;
}

function bytesOf(text: string): number {
  const bytes = Number(parseQuantity(text)?.toNumber());
  if (bytes >= 1024 * 1024) return bytes;
  throw new InformerError(
    'argument',
    `invalid argument "${text}" for "--record-size": expected a size of at least 1Mi`,
  );
}
