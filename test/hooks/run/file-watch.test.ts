import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchFiles } from '../../../src/hooks/run/file-watch.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'watch-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function watching(...names: string[]) {
  const files = names.map((name) => path.join(dir, name));
  for (const file of files) await writeFile(file, 'first');
  const clock = new FakeClock();
  const ending = new AbortController();
  const changes: string[][] = [];
  const watch = watchFiles({
    files: () => files,
    onChange: async (changed) => void changes.push(changed.map((file) => path.basename(file))),
    signal: ending.signal,
    clock,
  });
  watch.catch(() => {});
  /** Lets the watch look at the files once, as soon as it waits for its next look. */
  const look = async () => {
    await eventually(() => clock.pending > 0, { everyMs: 1, timeoutMs: 5_000 });
    await clock.advance(250);
    await eventually(() => clock.pending > 0, { everyMs: 1, timeoutMs: 5_000 });
  };
  const end = () => {
    ending.abort(new Error('over'));
    return watch;
  };
  return { files, changes, look, end, clock };
}

it('reports a file that was written again, when it did not change any more', async () => {
  const { files, changes, look } = await watching('a', 'b');
  await look();
  await writeFile(files[0] as string, 'second');
  await look();
  await writeFile(files[0] as string, 'second and more');
  await look();
  expect(changes).toEqual([]);
  await look();
  expect(changes).toEqual([['a']]);
  await look();
  expect(changes).toHaveLength(1);
});

it('reports a file that an editor replaces, and does not report that it is gone meanwhile', async () => {
  const { files, changes, look } = await watching('a');
  await look();
  await rename(files[0] as string, path.join(dir, 'a~'));
  for (let i = 0; i < 3; i++) await look();
  expect(changes).toEqual([]);
  await writeFile(files[0] as string, 'other');
  await look();
  await look();
  expect(changes).toEqual([['a']]);
});

it('watches files that come in with a change, from then on', async () => {
  const { files, changes, look } = await watching('a');
  await look();
  files.push(path.join(dir, 'new'));
  await writeFile(files[1] as string, 'x');
  await writeFile(files[0] as string, 'second');
  await look();
  await look();
  expect(changes).toEqual([['a']]);
  await writeFile(files[1] as string, 'changed');
  await look();
  await look();
  expect(changes).toEqual([['a'], ['new']]);
});

it('ends with its signal, and leaves no timer', async () => {
  const { end, look, clock } = await watching('a');
  await look();
  await expect(end()).rejects.toThrow('over');
  expect(clock.pending).toBe(0);
});
