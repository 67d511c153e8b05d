/**
 * The program of the process of a {@link ProgramGuard}: it uses nothing from outside of the function. Reads lines on
 * stdin: `PID` guards a process group, `PID NS` until a time of `process.hrtime`, which all processes of a machine
 * share, and `PID ended` no longer. When stdin ends it kills all of them.
 */
export function guardProgram(): void {
  const timers = new Map<number, NodeJS.Timeout | undefined>();
  const kill = (pid: number) => {
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    } catch {
      // it has ended already
    }
  };
  const until = (pid: number, end: bigint): NodeJS.Timeout => {
    const leftMs = Math.max(0, Number(end - process.hrtime.bigint()) / 1e6);
    return setTimeout(() => kill(pid), Math.min(leftMs, 2 ** 31 - 1));
  };
  const read = (line: string) => {
    const [pid = 0, end] = line.split(' ', 2).map((word) => (word === 'ended' ? Number.NaN : BigInt(word)));
    const group = Number(pid);
    clearTimeout(timers.get(group));
    if (typeof end === 'number') timers.delete(group);
    else timers.set(group, end === undefined ? undefined : until(group, end));
  };
  // one signal to all processes of a service must not end it before the process that it works for
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) read(line);
  });
  const over = () => {
    for (const pid of timers.keys()) kill(pid);
    process.exit();
  };
  process.stdin.on('end', over).on('error', over);
}
