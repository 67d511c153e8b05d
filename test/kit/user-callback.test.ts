import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/kit/logger.ts';
import { guarded, notify } from '../../src/kit/user-callback.ts';
import { settled } from '../../src/testing/fake-clock.ts';

function log() {
  const entries: unknown[] = [];
  return { entries, logger: createLogger((...entry) => entries.push(entry)) };
}

describe('notify', () => {
  it('calls the callback with all arguments', () => {
    const { entries, logger } = log();
    const seen: unknown[] = [];
    notify('onEvent', (...args: [number, string]) => seen.push(args), logger, 1, 'a');
    notify('onEvent', undefined, logger);
    expect([seen, entries]).toEqual([[[1, 'a']], []]);
  });

  it('logs an error that the callback throws or rejects with, and passes none on', async () => {
    const { entries, logger } = log();
    const fail = () => {
      throw new Error('at once');
    };
    notify('onEvent', fail, logger);
    notify('onEvent', async () => Promise.reject(new Error('later')), logger);
    await settled();
    expect(entries).toEqual([
      ['error', 'onEvent threw', { error: 'at once' }],
      ['error', 'onEvent threw', { error: 'later' }],
    ]);
  });
});

describe('guarded', () => {
  class Counter {
    #count = 0;
    readonly name = 'counter';
    add(by: number): number {
      if (by < 0) throw new Error('negative');
      this.#count += by;
      return this.#count;
    }
    child(): Counter {
      return new Counter();
    }
    broken(): Counter {
      throw new Error('broken');
    }
  }

  it('keeps members, results and private state', () => {
    const { entries, logger } = log();
    const counter = guarded('metrics', new Counter(), logger);
    counter.add(1);
    expect([counter.add(2), counter.name, entries]).toEqual([3, 'counter', []]);
  });

  it('logs errors of its functions, and of the objects that they return', () => {
    const { entries, logger } = log();
    const counter = guarded('metrics', new Counter(), logger);
    counter.add(-1);
    counter.child().add(-1);
    const entry = ['error', 'metrics threw', { call: 'add', error: 'negative' }];
    expect(entries).toEqual([entry, entry]);
  });

  it('gives an object whose functions do nothing in place of a result that could not be made', () => {
    const { entries, logger } = log();
    expect(guarded('metrics', new Counter(), logger).broken().add(1)).toBeUndefined();
    expect(entries).toEqual([['error', 'metrics threw', { call: 'broken', error: 'broken' }]]);
  });
});
