import type { ChildProcess } from 'node:child_process';

/**
 * Sends a signal to a process that was started here. One that the system refused for lack of descriptors (EMFILE) has a
 * handle without an id: `child.kill` would send the signal to any process, or to the group of this one.
 */
export function killChild(child: Pick<ChildProcess, 'pid' | 'kill'>, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) child.kill(signal);
}
