import { ChildProcess } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { querySql } from '../../../src/cli/query/sql-run.ts';
import { builtin } from '../../../src/kit/builtin.ts';

it('a statement for which no process can be started says so', async () => {
  const spawn = () => {
    const child = new ChildProcess(); // as spawn leaves it where there are no descriptors: without streams
    process.nextTick(() => child.emit('error', new Error('spawn node EMFILE')));
    return child;
  };
  const spy = vi.spyOn(builtin, 'childProcess').mockReturnValue({ spawn } as never);
  try {
    const line = { flags: { sql: 'SELECT 1', from: 'x.rec' }, words: [], given: new Map() };
    const edges = { io: { env: {} }, signal: new AbortController().signal, atOnce: new Set() };
    await expect(querySql(line as never, edges as never)).rejects.toMatchObject({
      code: 'store',
      message: 'no process to read the recording could be started: spawn node EMFILE',
    });
  } finally {
    spy.mockRestore();
  }
});
