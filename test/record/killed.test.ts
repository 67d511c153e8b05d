import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { Recording } from '../../src/record/recording.ts';
import { RecordingWriter } from '../../src/record/recording-writer.ts';
import { useFolder } from '../support/recording.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../support/recording-process.ts');
const folder = useFolder();

/** Lets a process record until it has said `steps` lines, and kills it. Returns the last version that it said. */
async function killedAfter(file: string, steps: number): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let last = 0;
  let lines = 0;
  for await (const line of createInterface(child.stdout)) {
    last = Number(line);
    if (++lines === steps) child.kill('SIGKILL');
  }
  await exited;
  return last;
}

it.each([1, 2, 17, 60, 143, 250])(
  'a process that is killed after %s steps leaves a file that has all of them',
  async (steps) => {
    const file = folder.file('r.db');
    const said = await killedAfter(file, steps);
    {
      using recording = Recording.open(file);
      const last = recording.revisionAt(Number.MAX_SAFE_INTEGER);
      expect(last).toBeGreaterThanOrEqual(said);
      expect(recording.runs).toMatchObject([{ isEnded: false }]);
      const newest = [...recording.statesAt(1, last)].map(({ state }) =>
        Number((state.object.data as { version: string }).version),
      );
      expect(Math.max(...newest)).toBe(last);
      expect(newest.length).toBe(Math.min(50, last));
    }
    RecordingWriter.open(file, { clock: systemClock, command: 'watch' }).close('ended'); // no lock is left
  },
);
