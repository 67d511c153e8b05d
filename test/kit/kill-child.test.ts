import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { killChild } from '../../src/kit/kill-child.ts';

it('ends a process that was started', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  killChild(child, 'SIGKILL');
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
});

it('sends no signal for a process that the system refused: its handle has no id', () => {
  const child = new ChildProcess(); // as spawn leaves it after EMFILE
  child.kill = vi.fn();
  killChild(child, 'SIGKILL');
  expect(child.kill).not.toHaveBeenCalled();
});
