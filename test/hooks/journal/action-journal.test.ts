import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import promises, { appendFile, mkdtemp, open as openFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ActionJournal, type JournaledStep } from '../../../src/hooks/journal/action-journal.ts';
import { deployments } from '../../support/hook-cluster.ts';

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
  folder = path.join(parent, 'journal');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const STEP: JournaledStep = {
  action: { verb: 'patch', patchType: 'merge', body: {} },
  target: { type: deployments, namespace: 'shop', name: 'web' },
  body: { spec: { replicas: 3 } },
};
const RUN = { key: 'shop/web', uid: 'u1', steps: [STEP] };
const open = (owner = 'hook a') => ActionJournal.open({ folder, owner });
const file = () => path.join(folder, 'actions.jsonl');

/** What a process leaves that ends without closing its journal. */
async function leftBy(use: (journal: ActionJournal) => Promise<void>): Promise<void> {
  await using journal = await open();
  await use(journal);
}

describe('a journal', () => {
  it('has after a restart what was begun and not finished, with what was started and done', async () => {
    await leftBy(async (journal) => {
      const finished = await journal.begin(RUN);
      await journal.start(finished, 0, { isAbsent: true });
      await journal.finish(finished);
      const run = await journal.begin({ ...RUN, uid: null, steps: [STEP, STEP, STEP] });
      await journal.start(run, 0, { uid: 'u', resourceVersion: '5' });
      await journal.done(run, 0, { uid: 'u', resourceVersion: '6' });
      await journal.start(run, 1, { isAbsent: true });
    });
    await using journal = await open();
    expect(journal.unreadable).toBe(0);
    const [left, ...more] = journal.unfinished();
    expect(more).toEqual([]);
    expect(left).toMatchObject({ key: 'shop/web', uid: null, steps: [STEP, STEP, STEP] });
    expect([...(left?.started ?? [])]).toEqual([
      [0, { uid: 'u', resourceVersion: '5' }],
      [1, { isAbsent: true }],
    ]);
    expect([...(left?.done ?? [])]).toEqual([0]);
    expect([journal.unfinished('shop/other'), journal.unfinished('shop/web').length]).toEqual([[], 1]);
  });

  it('has the line on the disk when begin and start resolve', async () => {
    await using journal = await open();
    const run = await journal.begin(RUN);
    expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(3); // at once, before a write under way could end
    await journal.start(run, 0, { uid: 'u' });
    expect(await readFile(file(), 'utf8')).toContain('{"uid":"u"}');
  });

  it('syncs each line that it promises after it is written, and a new file before it takes the place of the old one', async () => {
    const steps: string[] = [];
    const handle = await openFile(path.join(parent, 'any'), 'w');
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    /** Notes a call when it has ended. */
    const note = (owner: Record<string, (...args: unknown[]) => Promise<unknown>>, name: string) => {
      const real = owner[name] as (...args: unknown[]) => Promise<unknown>;
      return vi.spyOn(owner, name).mockImplementation(async function (this: unknown, ...args: unknown[]) {
        const result = await real.apply(this, args);
        steps.push(name);
        return result;
      });
    };
    const noted = ['appendFile', 'writeFile', 'datasync', 'sync'].map((name) => note(prototype, name));
    noted.push(note(promises as never, 'rename'));
    syncBuiltinESMExports();
    /** The calls since the last time. */
    const since = () => steps.splice(0);
    try {
      await using journal = await open();
      expect(since()).toEqual(['writeFile', 'sync', 'rename', ...(process.platform === 'win32' ? [] : ['sync'])]);
      const run = await journal.begin(RUN);
      expect(since()).toEqual(['appendFile', 'datasync']);
      await journal.start(run, 0, {});
      expect(since()).toEqual(['appendFile', 'datasync']);
      await journal.done(run, 0);
      await journal.finish(run);
      expect(since()).toEqual(['appendFile', 'appendFile']); // what is done twice is decided by its effect
    } finally {
      for (const each of noted) each.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it('does not grow with what is finished', async () => {
    await using journal = await open();
    const kept = await journal.begin(RUN);
    const big = { ...STEP, body: { data: 'x'.repeat(300_000) } };
    for (let i = 0; i < 12; i++) await journal.finish(await journal.begin({ ...RUN, steps: [big] }));
    expect((await stat(file())).size).toBeLessThan(1_800_000);
    await journal.start(kept, 0, { isAbsent: true });
    await journal[Symbol.asyncDispose]();
    await using again = await open();
    expect(again.unfinished()).toMatchObject([{ id: kept.id }]);
    expect(again.unfinished()[0]?.started.get(0)).toEqual({ isAbsent: true });
  });

  it('is written again once it is long, and then continued in the same file', async () => {
    await using journal = await open();
    const run = { ...RUN, steps: [{ ...STEP, body: { data: 'x'.repeat(300_000) } }] };
    const inode = async () => (await stat(file())).ino;
    const first = await inode();
    await journal.finish(await journal.begin(run));
    expect(await inode()).toBe(first);
    while ((await inode()) === first) await journal.finish(await journal.begin(run));
    const second = await inode();
    for (const _ of [1, 2]) {
      await journal.begin(RUN);
      expect(await inode()).toBe(second);
    }
  });

  it('is readable whatever part of its last line was written', async () => {
    await leftBy(async (journal) => {
      await journal.begin(RUN);
      await journal.begin({ ...RUN, key: 'shop/last' });
    });
    const text = await readFile(file(), 'utf8');
    const start = text.trimEnd().lastIndexOf('\n') + 1;
    for (let end = start; end < text.length - 1; end += 7) {
      await writeFile(file(), text.slice(0, end));
      await using journal = await open();
      expect(journal.unfinished().map(({ key }) => key)).toEqual(['shop/web']);
      expect(journal.unreadable).toBe(end === start ? 0 : 1);
    }
  });

  it('leaves out lines that are JSON and not its own, and counts them', async () => {
    await leftBy(async (journal) => void (await journal.begin(RUN)));
    const lines = [
      '1',
      'null',
      '[]',
      '{}',
      '{"id":1}',
      '{"id":"x","key":"a","uid":3,"steps":[]}',
      '{"id":"x","key":"a","uid":null,"steps":[{}]}',
    ];
    await writeFile(file(), `${lines.join('\n')}\n${await readFile(file(), 'utf8')}`);
    await using journal = await open();
    expect([journal.unreadable, journal.unfinished().length]).toEqual([lines.length, 1]);
  });

  it('takes the last line of a run that it does not know for its own', async () => {
    await leftBy(async () => {});
    await appendFile(file(), '{"id":"unknown","end":true}\n{"id":"unknown","start":0}\n{"id":"unknown","done":0}\n');
    await using journal = await open();
    expect([journal.unreadable, journal.unfinished()]).toEqual([0, []]);
  });

  it.runIf(process.platform !== 'win32')('is refused where the path of its lock is too long for a socket', async () => {
    folder = path.join(parent, 'x'.repeat(120));
    await expect(open()).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringContaining('is too long for its lock'),
      hint: expect.stringContaining('at most 103 bytes'),
    });
  });

  it.runIf(process.platform !== 'win32')('ends a connection to its lock, so that none delays its end', async () => {
    await using _journal = await open();
    const socket = connect(path.relative(process.cwd(), path.join(folder, 'lock'))).resume();
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });

  it('is for one process, and free again after it', async () => {
    const first = await open();
    await expect(open()).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringContaining('another process'),
    });
    await first[Symbol.asyncDispose]();
    await using second = await open();
    expect(second.unfinished()).toEqual([]);
  });

  it('is refused with unfinished actions of another owner, and taken over without any', async () => {
    await leftBy(async (journal) => void (await journal.begin(RUN)));
    await expect(open('hook b')).rejects.toThrow('has unfinished actions of hook a, not of hook b');
    await leftBy(async (journal) => {
      for (const run of journal.unfinished()) await journal.finish(run);
    });
    await using journal = await open('hook b');
    expect(journal.unfinished()).toEqual([]);
  });

  it.each([
    ['is cut off', (whole: string) => whole.slice(0, -20)],
    ['is not sure to be on the disk', (whole: string) => whole],
  ])('reads each later line although one that failed %s, and does not keep that one', async (_, partOf) => {
    await leftBy(async (journal) => {
      await journal.begin(RUN);
      const handle = await openFile(file());
      const prototype = Object.getPrototypeOf(handle) as typeof handle;
      await handle.close();
      const append = vi.spyOn(prototype, 'appendFile').mockImplementationOnce(async function (
        this: typeof handle,
        text,
      ) {
        await this.write(partOf(String(text)));
        throw new Error('ENOSPC: no space left on device');
      });
      await expect(journal.begin({ ...RUN, key: 'shop/full' })).rejects.toThrow('cannot be written: ENOSPC');
      append.mockRestore();
      await journal.begin({ ...RUN, key: 'shop/next' });
    });
    await using journal = await open();
    expect([journal.unfinished().map(({ key }) => key), journal.unreadable]).toEqual([['shop/web', 'shop/next'], 0]);
  });

  it('rejects a run that it cannot write, and does not keep it', async () => {
    const journal = await open();
    await journal[Symbol.asyncDispose]();
    for (let i = 0; i < 2; i++) await expect(journal.begin(RUN)).rejects.toThrow('cannot be written');
    expect(journal.unfinished()).toEqual([]);
  });
});
