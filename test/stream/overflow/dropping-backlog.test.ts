import { expect, it } from 'vitest';
import type { BacklogStep, Loss, Waiting } from '../../../src/stream/overflow/backlog.ts';
import { DroppingBacklog } from '../../../src/stream/overflow/dropping-backlog.ts';

const change = (n: number, cause: 'watch' | 'initial' = 'watch'): Waiting<string> => ({
  change: { type: 'added', object: { metadata: { name: `p${n}` } }, cause },
  target: 'pods',
  receivedMs: 0,
});

function backlog(limit: number) {
  const lost: Loss[] = [];
  const counted: number[] = [];
  const queue = new DroppingBacklog<string>(limit, {
    lost: (loss) => void lost.push(loss),
    onLost: (_, events) => counted.push(events),
  });
  const push = (from: number, count: number, cause?: 'initial') => {
    for (let i = from; i < from + count; i++) queue.push(change(i, cause));
  };
  /** What comes out next; a step is taken. */
  const take = (): string | undefined => {
    const item = queue.shift();
    if (typeof item !== 'function') return item?.change.object.metadata.name;
    void item();
    return 'step';
  };
  return { queue, lost, counted, push, take };
}

it('counts waiting changes, losses, and losses that are not reported yet', () => {
  const { queue, lost, counted, push, take } = backlog(4);
  push(0, 2, 'initial');
  push(2, 4);
  expect([queue.waiting, queue.unreported]).toEqual([6, undefined]);
  push(6, 3);
  expect([queue.waiting, queue.unreported, counted, lost]).toEqual([6, { how: 'dropped', events: 3 }, [1, 1, 1], []]);
  expect([take(), take(), take(), queue.waiting]).toEqual(['p0', 'p1', 'p2', 3]);
  push(9, 1); // not half free yet
  expect(counted).toHaveLength(4);
  expect([take(), take()]).toEqual(['p3', 'p4']);
  push(10, 1); // there is room, and the loss goes before it
  expect(queue.unreported).toEqual({ how: 'dropped', events: 4 });
  expect([take(), take(), take(), take()]).toEqual(['p5', 'step', 'p10', undefined]);
  expect([lost, queue.unreported, queue.waiting]).toEqual([[{ how: 'dropped', events: 4 }], undefined, 0]);
});

it('takes nothing before half of it is free again, also after a single loss', () => {
  const { queue, counted, push, take } = backlog(4);
  push(0, 5);
  take();
  push(5, 1);
  expect([counted, queue.waiting]).toEqual([[1, 1], 3]);
});

it('never drops the initial list', () => {
  const { queue, counted, push } = backlog(1);
  push(0, 100, 'initial');
  expect([queue.waiting, counted]).toEqual([100, []]);
});

it('reports a loss before a later step, and at the end if there is none', () => {
  const seen: string[] = [];
  const { queue, lost, push, take } = backlog(1);
  const step: BacklogStep = () => void seen.push(`step with ${lost.length} reported`);
  push(0, 2);
  queue.pushStep(step);
  push(2, 1);
  expect([take(), take(), take()]).toEqual(['p0', 'step', 'step']);
  expect([seen, lost.length]).toEqual([['step with 1 reported'], 1]);
  expect([take(), take(), lost.length]).toEqual(['step', undefined, 2]);
});
