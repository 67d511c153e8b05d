import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { abortable, aborted, onAbort, scope } from '../../src/kit/abort.ts';

describe('scope', () => {
  it('aborts with its parent, and leaves no listener on it', () => {
    const parent = new AbortController();
    {
      using child = scope(parent.signal);
      expect(child.signal.aborted).toBe(false);
      expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    }
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
    using other = scope(parent.signal);
    parent.abort(new Error('over'));
    expect(other.signal.reason).toEqual(new Error('over'));
  });

  it('aborts at the end of its block, and with an aborted parent at once', () => {
    let signal: AbortSignal | undefined;
    {
      using child = scope();
      ({ signal } = child);
      expect(signal.aborted).toBe(false);
    }
    expect(signal.aborted).toBe(true);
    using late = scope(AbortSignal.abort(new Error('before')));
    expect(late.signal.reason).toEqual(new Error('before'));
  });
});

describe('onAbort', () => {
  it('calls once, also for a signal that has aborted, and not after disposal', () => {
    const controller = new AbortController();
    const seen: string[] = [];
    onAbort(controller.signal, () => seen.push('a'));
    onAbort(controller.signal, () => seen.push('never'))[Symbol.dispose]();
    controller.abort();
    onAbort(controller.signal, () => seen.push('b'))[Symbol.dispose]();
    expect(seen).toEqual(['a', 'b']);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

it('aborted resolves with the abort', async () => {
  const controller = new AbortController();
  const waiting = aborted(controller.signal);
  controller.abort(new Error('enough'));
  await expect(waiting).resolves.toBeUndefined();
});

describe('abortable', () => {
  it('settles as its promise, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(1), signal)).toBe(1);
    await expect(abortable(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    expect(await abortable(Promise.resolve(2), undefined)).toBe(2);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const waiting = abortable(new Promise(() => {}), controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(abortable(new Promise(() => {}), controller.signal)).rejects.toThrow('enough');
  });
});

it('a block that ends aborts its signal with an AbortError, without the cost of making one', () => {
  const reasons = [scope(), scope()].map((block) => {
    block[Symbol.dispose]();
    return block.signal.reason as Error;
  });
  expect(reasons[0]?.name).toBe('AbortError');
  expect(reasons[1]).toBe(reasons[0]);
});
