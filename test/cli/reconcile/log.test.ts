import { expect, it } from 'vitest';
import { reconcileLogger, shortLine } from '../../../src/cli/reconcile/log.ts';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { createController } from '../../../src/controller/controller.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

const RUN = { controller: 'label.sh', key: 'shop/web', run: 7, hook: 'label.sh' };

it.each([
  [
    'warn' as const,
    'failed; will retry',
    { attempt: 2, error: 'exited with 1', retryMs: 10 },
    'shop/web: failed (attempt 2), again in 10 ms: exited with 1',
  ],
  [
    'warn' as const,
    'failed; will retry',
    { attempt: 20, error: 'a\nb\x1b[2J', retryMs: 61_000 },
    'shop/web: failed (attempt 20), again in 61s: a\n  b^[[2J',
  ],
  [
    'warn' as const,
    'failed; not retried, because the controller ends',
    { attempt: 1, error: 'exited with 1' },
    'shop/web: failed (attempt 1), and is not tried again, because the program ends: exited with 1',
  ],
  [
    'error' as const,
    'gave up; parked until something changes',
    { attempt: 1, error: 'terminal error: no team' },
    'shop/web: given up until something changes (attempt 1): no team',
  ],
  ['info' as const, 'looking', { color: 'red', n: 2 }, 'shop/web: looking color=red n=2'],
  ['warn' as const, 'too many', { replicas: 5 }, 'shop/web: WARN too many replicas=5'],
  ['error' as const, 'left behind', { error: new Error('late') }, 'shop/web: ERROR left behind: late'],
])('%s %s', (level, message, fields, line) => {
  expect(shortLine(level, message, { ...RUN, ...fields })).toBe(line);
});

it('an entry about no key keeps its level', () => {
  expect(shortLine('info', 'synced', { controller: 'label.sh' })).toBe('INFO synced');
});

it('the life of the controller is reported by the command alone, and logged from -v 6 on', async () => {
  const linesAt = async (verbosity: number) => {
    const lines: string[] = [];
    const io = { stderr: { isJson: false, write: (text: string) => void lines.push(text) } } as unknown as Io;
    const end = new AbortController();
    const logger = reconcileLogger(io, verbosity);
    const running = createController({ name: 'a', logger, clock: new FakeClock(), reconcile: async () => {} }).run(
      end.signal,
    );
    await settled();
    end.abort();
    await running;
    return lines.length;
  };
  expect([await linesAt(0), await linesAt(6)]).toEqual([0, 4]);
});
