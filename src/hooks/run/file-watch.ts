import { stat } from 'node:fs/promises';
import type { Clock } from '../../kit/clock.ts';

export interface FileWatchOptions {
  /** The files, asked for again after each change. */
  files: () => readonly string[];
  /** Called after files have changed. The next change is looked for when it has resolved. */
  onChange: (files: readonly string[]) => Promise<void>;
  signal: AbortSignal;
  clock: Clock;
}

const POLL_MS = 250;

/**
 * Watches files until the signal aborts. It looks at them four times a second, so that it also sees files that an
 * editor replaces, and those on network file systems. A change counts when a file exists and has not changed since the
 * last look, so that a file that is still being written is not read.
 */
export async function watchFiles({ files, onChange, signal, clock }: FileWatchOptions): Promise<void> {
  let known = await marksOf(files());
  let last = known;
  for (;;) {
    await clock.sleep(POLL_MS, { signal });
    const now = await marksOf([...known.keys()]);
    const changed = [...now].filter(([file, mark]) => mark !== known.get(file));
    const isQuiet = changed.every(([file, mark]) => mark !== undefined && mark === last.get(file));
    last = now;
    if (changed.length === 0 || !isQuiet) continue;
    await onChange(changed.map(([file]) => file));
    known = await marksOf(files(), now);
    last = known;
  }
}

/** A mark of each file that changes with the file or its content; undefined for one that does not exist. */
async function marksOf(
  files: readonly string[],
  known?: ReadonlyMap<string, string | undefined>,
): Promise<Map<string, string | undefined>> {
  const marks = await Promise.all(
    files.map(async (file) => {
      if (known?.has(file)) return [file, known.get(file)] as const;
      const found = await stat(file, { bigint: true }).catch(() => undefined);
      return [file, found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.mode}`] as const;
    }),
  );
  return new Map(marks);
}
