import { ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { RecordingReader } from '../../../src/cli/record/recording-reader.ts';
import { messageOf } from '../../../src/kit/error.ts';
import { eventually } from '../../../src/testing/eventually.ts';

/** A reader whose processes run this code. */
function readerOf(code: string) {
  const children: ChildProcess[] = [];
  /** The processes that there were when each began. */
  const counts: number[] = [];
  const start = (env: NodeJS.ProcessEnv, stdio: StdioOptions) => {
    const child = spawn(process.execPath, ['-e', `const fs = require('node:fs'); ${code}`], { env, stdio });
    children.push(child);
    counts.push(children.filter(alive).length);
    return child;
  };
  return { children, counts, reader: new RecordingReader({ PATH: process.env.PATH }, { limitMs: 1500, mostBytes: 64 << 20 }, start) }; // biome-ignore format: one record
}

const JOB = { kind: 'list', file: 'x.rec' };
const ECHO = `process.stdout.write(fs.readFileSync(0))`;
const alive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

describe('a recording is read by a process', () => {
  it('that gets the question with its limits, and whose output is the answer', async () => {
    const { reader } = readerOf(ECHO);
    expect(JSON.parse(await reader.text(JOB))).toEqual({ limitMs: 1500, mostBytes: 67108864, job: JOB });
  });

  it.each([
    [`fs.writeSync(3, 'time'); process.kill(process.pid, 'SIGKILL')`, { code: 'sync', message: 'the recording was not read within 1s' }], // biome-ignore format: one row
    [`fs.writeSync(3, 'memory'); process.kill(process.pid, 'SIGKILL')`, { code: 'store', message: 'reading the recording needs more than 64 MiB' }], // biome-ignore format: one row
    [`fs.writeSync(3, JSON.stringify({ code: 'argument', message: 'no such time', hint: 'later' })); process.exitCode = 1`, { code: 'argument', message: 'no such time', hint: 'later' }], // biome-ignore format: one row
    [`process.kill(process.pid, 'SIGTERM')`, { code: 'store', message: 'the process that read the recording ended by SIGTERM' }], // biome-ignore format: one row
    [`process.stdout.write('a half'); process.exitCode = 7`, { code: 'store', message: 'the process that read the recording ended' }], // biome-ignore format: one row
  ])('that ends early (%s), and then there is no answer', async (code, error) => {
    await expect(readerOf(code).reader.text(JOB)).rejects.toMatchObject(error);
  });

  it('that may be refused by the system: without descriptors it has no streams, and then there is no answer', async () => {
    const signals: unknown[] = [];
    const start = () => {
      const child = new ChildProcess(); // as spawn leaves it
      child.kill = (signal) => signals.push(signal) > 0; // its handle has no id, so that any process may get it
      process.nextTick(() => child.emit('error', new Error('spawn node EMFILE')));
      return child;
    };
    const reader = new RecordingReader({}, {}, start);
    for (let i = 0; i < 3; i++)
      await expect(reader.text(JOB)).rejects.toMatchObject({
        code: 'store',
        message: 'no process to read the recording could be started: spawn node EMFILE',
      });
    expect(signals).toEqual([]);
  });

  it('that is killed when its answer is not waited for any more', async () => {
    const { reader, children } = readerOf('setInterval(() => {}, 1000)');
    const enough = new AbortController();
    const answer = reader.text(JOB, enough.signal);
    const refused = expect(answer).rejects.toThrow('enough');
    await eventually(() => children.length === 1);
    enough.abort(new Error('enough'));
    await refused;
    await eventually(() => !alive(children[0] as ChildProcess));
    expect(children[0]?.signalCode).toBe('SIGKILL');
  });

  it('that is killed when only a part of its answer is read', async () => {
    const { reader, children } = readerOf(`process.stdout.write('first'); setInterval(() => {}, 1000)`);
    for await (const piece of reader.read(JOB)) {
      expect(piece.toString()).toBe('first');
      break;
    }
    await eventually(() => !alive(children[0] as ChildProcess));
  });

  it('whose turn is given up when it is not waited for any more', async () => {
    const { reader, children } = readerOf('setInterval(() => {}, 1000)');
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const all = [first, second, third].map(({ signal }) => reader.text(JOB, signal).catch(messageOf));
    await eventually(() => children.length === 2);
    third.abort(new Error('enough'));
    expect(await all[2]).toBe('enough');
    const fourth = new AbortController();
    const last = reader.text(JOB, fourth.signal).catch(messageOf);
    first.abort(new Error('enough'));
    await eventually(() => children.length === 3); // the turn of the first is that of the fourth
    second.abort(new Error('enough'));
    fourth.abort(new Error('enough'));
    expect([await all[0], await all[1], await last]).toEqual(['enough', 'enough', 'enough']);
  });

  it('beside one other: further questions wait for their turn', async () => {
    const { reader, children, counts } = readerOf(ECHO);
    await Promise.all(Array.from({ length: 6 }, () => reader.text(JOB)));
    expect([children.length, Math.max(...counts)]).toEqual([6, 2]);
  });

  it('whose turn ends when the body of a response is left at its first piece, or is not begun', async () => {
    const head = `process.stdout.write('{"status":200,"headers":{}}\\n'); setInterval(() => {}, 1000)`;
    const { reader, children } = readerOf(head);
    const [left, unread] = [await reader.response(JOB), new AbortController()];
    for await (const _ of left.body) break;
    await reader.response(JOB, unread.signal);
    unread.abort(new Error('enough'));
    const others = [await reader.response(JOB), await reader.response(JOB)];
    expect(children).toHaveLength(4);
    for (const { body } of others) for await (const _ of body) break;
    await eventually(() => !children.some(alive));
  });

  it('beside one other also when answers are left, or not waited for any more: their processes end first', async () => {
    const { reader, children, counts } = readerOf(`process.stdout.write('first'); setInterval(() => {}, 1000)`);
    const leftThreeTimes = async () => {
      for (let i = 0; i < 3; i++) for await (const _ of reader.read(JOB)) break;
    };
    await Promise.all([leftThreeTimes(), leftThreeTimes(), leftThreeTimes()]);
    for (let i = 0; i < 3; i++) {
      const enough = new AbortController();
      const answers = [1, 2].map(() => reader.text(JOB, enough.signal).catch(messageOf));
      await eventually(() => children.length === 11 + 2 * i);
      enough.abort(new Error('enough'));
      expect(await Promise.all(answers)).toEqual(['enough', 'enough']);
    }
    expect(Math.max(...counts)).toBe(2);
    await eventually(() => !children.some(alive));
  });

  it('beside one other also when a question comes as another process ends', async () => {
    const { reader, children, counts } = readerOf(ECHO);
    const threeTimes = async () => {
      for (let i = 0; i < 3; i++) await reader.text(JOB);
    };
    await Promise.all(Array.from({ length: 5 }, threeTimes));
    expect([children.length, Math.max(...counts)]).toEqual([15, 2]);
  });
});
