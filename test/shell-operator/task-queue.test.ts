import { describe, expect, it } from 'vitest';
import type { BindingContext } from '../../src/shell-operator/binding-context.ts';
import type { OperatorHook } from '../../src/shell-operator/load-hooks.ts';
import { newTask, type Task } from '../../src/shell-operator/task.ts';
import { TaskQueue } from '../../src/shell-operator/task-queue.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';

const hookOf = (name: string, version: 'v0' | 'v1' = 'v1') =>
  ({ name, config: { version } }) as unknown as OperatorHook;
const [A, B] = [hookOf('a'), hookOf('b')];
const context = (binding: string, group = ''): BindingContext => ({ sort: 'schedule', binding, group, snapshots: [] });
const runOf = (hook: OperatorHook, binding: string, more: Partial<Task> = {}) =>
  newTask({ kind: 'run', hook, binding, contexts: [context(binding)], queuedAt: 0, ...more });

/** A queue whose tasks end at a call. */
function queueOf({ workers = 1 } = {}) {
  const clock = new FakeClock();
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<readonly Task[]>>();
  const failures: number[] = [];
  const queue = new TaskQueue({
    name: 'main',
    workers,
    clock,
    random: () => 0,
    work: (task, of) => {
      of.joinNext(task);
      begun.push(`${task.hook.name}:${task.contexts.map(({ binding }) => binding).join('+')}`);
      const end = Promise.withResolvers<readonly Task[]>();
      ends.set(task.binding, end);
      return end.promise;
    },
    onFailure: (_, __, retryMs) => failures.push(retryMs),
  });
  const abort = new AbortController();
  const running = queue.run(abort.signal);
  const end = async (binding: string, next: readonly Task[] | Error = []) => {
    if (next instanceof Error) ends.get(binding)?.reject(next);
    else ends.get(binding)?.resolve(next);
    await settled();
  };
  const stop = async () => {
    abort.abort();
    await running;
  };
  return { clock, queue, begun, failures, end, stop };
}

describe('a queue of tasks', () => {
  it('works in order, and joins the runs of a hook that follow each other', async () => {
    const { queue, begun, end, stop } = queueOf();
    for (const task of [runOf(A, '1'), runOf(A, '2'), runOf(B, '3'), runOf(A, '4')]) queue.add(task);
    await settled();
    expect(begun).toEqual(['a:1+2']);
    await end('1');
    expect(begun).toEqual(['a:1+2', 'b:3']);
    await end('3');
    await end('4');
    expect(begun.at(-1)).toBe('a:4');
    expect(queue.tasks).toEqual([]);
    await stop();
  });

  it('keeps one context of those of a group that follow each other, the last', async () => {
    const { queue, begun, end, stop } = queueOf();
    const grouped = (binding: string, group: string) => runOf(A, binding, { contexts: [context(binding, group)] });
    for (const task of [grouped('1', 'g'), grouped('2', 'g'), grouped('3', 'h'), grouped('4', 'g')]) queue.add(task);
    await settled();
    expect(begun).toEqual(['a:2+3+4']);
    await end('1');
    await stop();
  });

  it('joins nothing to the whole state of a binding, nor for hooks of version v0', async () => {
    const { queue, begun, end, stop } = queueOf();
    const whole: BindingContext = { ...context('whole'), sort: 'kubernetes' };
    const old = hookOf('old', 'v0');
    for (const task of [runOf(A, 'whole', { contexts: [whole] }), runOf(A, '2'), runOf(old, '3'), runOf(old, '4')])
      queue.add(task);
    await settled();
    for (const binding of ['whole', '2', '3', '4']) await end(binding);
    expect(begun).toEqual(['a:whole', 'a:2', 'old:3', 'old:4']);
    await stop();
  });

  it('tries a failed task again after 5, 6, 7, 9, 13, 21 and 32 s, with what came meanwhile; the rest waits', async () => {
    const { queue, begun, clock, failures, end, stop } = queueOf();
    queue.add(runOf(A, '1'));
    queue.add(runOf(B, '2'));
    await settled();
    for (let i = 0; i < 8; i++) {
      await end('1', new Error('no'));
      clock.advance(failures.at(-1) as number);
      await settled();
    }
    expect(failures.map((ms) => ms / 1000)).toEqual([5, 6, 7, 9, 13, 21, 32, 32]);
    expect(begun).toEqual(Array(9).fill('a:1'));
    await end('1');
    expect(begun.at(-1)).toBe('b:2');
    await end('2');
    await stop();
  });

  it('puts the tasks that a task leads to before all others', async () => {
    const { queue, begun, end, stop } = queueOf();
    queue.add(runOf(A, '1'));
    queue.add(runOf(B, '2'));
    await settled();
    await end('1', [runOf(A, '3'), runOf(B, '4')]);
    await end('3');
    expect(begun).toEqual(['a:1', 'a:3', 'b:4+2']);
    await end('4');
    await stop();
  });

  it('joins more than a hundred waiting runs of a hook, wherever they wait', async () => {
    const { queue, begun, end, stop } = queueOf();
    queue.add(runOf(B, 'first'));
    await settled();
    for (let i = 0; i < 120; i++) {
      queue.add(runOf(A, `a${i}`, { contexts: [context(`a${i}`, i % 2 === 0 ? 'g' : '')] }));
      queue.add(runOf(B, `b${i}`));
    }
    expect(queue.tasks.length).toBeLessThan(100);
    while (queue.tasks.length > 0) await end((queue.tasks[0] as Task).binding);
    const seen = new Set(begun.flatMap((run) => run.split(/[:+]/)));
    const all = Array.from({ length: 120 }, (_, i) => [`b${i}`, ...(i % 2 === 1 ? [`a${i}`] : [])]).flat();
    expect(all.filter((binding) => !seen.has(binding))).toEqual([]);
    expect(seen).toContain('a118'); // the last of its group
    await stop();
  });

  it('drops a waiting task, but none that is worked on', async () => {
    const { queue, begun, end, stop } = queueOf();
    const [first, second] = [runOf(A, '1'), runOf(B, '2')];
    queue.add(first);
    queue.add(second);
    await settled();
    expect([queue.drop(first), queue.drop(second)]).toEqual([false, true]);
    await end('1');
    expect(begun).toEqual(['a:1']);
    await stop();
  });

  it('lets the tasks of different objects go side by side, and keeps the order of each', async () => {
    const { queue, begun, clock, end, stop } = queueOf({ workers: 3 });
    const of = (object: string, binding: string) => runOf(A, binding, { object });
    for (const task of [of('x', 'x1'), of('y', 'y1'), of('z', 'z1'), of('w', 'w1')]) queue.add(task);
    queue.add(runOf(B, 'all'));
    await settled();
    expect(begun).toEqual(['a:x1', 'a:y1', 'a:z1']);
    queue.add(of('x', 'x2'));
    await end('x1', new Error('no'));
    expect(begun.slice(3)).toEqual(['a:w1']); // x waits for its next try, and nothing else for it
    clock.advance(5_000);
    for (const binding of ['y1', 'z1', 'w1', 'x1']) await end(binding);
    expect(begun.slice(4)).toEqual(['a:x1', 'b:all']); // all before it are done
    await end('all');
    expect(begun.at(-1)).toBe('a:x2');
    await end('x2');
    await stop();
  });
});
