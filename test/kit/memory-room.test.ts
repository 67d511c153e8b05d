import { describe, expect, it } from 'vitest';
import { MemoryRoom, oldGenerationLimit, type ProcessMemory } from '../../src/kit/memory-room.ts';

const MIB = 1024 * 1024;

/** A process with a heap of 100 MiB on a machine of 1,000 MiB, and how often its garbage was freed. */
function processWith(start: { held: number; garbage?: number; outside?: number; resident?: number }) {
  const state = { garbage: 0, outside: 0, resident: 0, ...start, collections: 0 };
  const memory: ProcessMemory = {
    used: () => ({ heap: (state.held + state.garbage) * MIB, outside: state.outside * MIB }),
    old: () => (state.held + state.garbage) * MIB,
    collect: () => {
      state.collections++;
      state.garbage = 0;
    },
    resident: () => state.resident * MIB,
    heapLimit: 100 * MIB,
    total: 1000 * MIB,
  };
  return { state, room: new MemoryRoom(memory) };
}

describe('MemoryRoom', () => {
  it('has room while 80 % of the heap are not in use', () => {
    const { state, room } = processWith({ held: 80 });
    expect([room.shortage(), state.collections]).toEqual([undefined, 0]);
  });

  it('says how much of the heap is in use above that, each time that it is asked', () => {
    const { room } = processWith({ held: 81 });
    expect([room.shortage(), room.shortage()]).toEqual(Array(2).fill('81 of the 100 MiB of its heap are in use'));
  });

  it('does not count garbage', () => {
    const { state, room } = processWith({ held: 60, garbage: 39 });
    expect([room.shortage(), state.collections]).toEqual([undefined, 1]);
  });

  it('frees the garbage again only after a quarter of the rest has filled', () => {
    const { state, room } = processWith({ held: 76, garbage: 10 });
    room.shortage();
    state.garbage = 5; // 81 of 82
    expect([room.shortage(), state.collections]).toEqual([undefined, 1]);
    state.garbage = 7;
    expect([room.shortage(), state.collections]).toEqual([undefined, 2]);
  });

  it('has room again when what filled it is gone', () => {
    const { state, room } = processWith({ held: 90 });
    room.shortage();
    state.held = 30;
    expect(room.shortage()).toBeUndefined();
    state.held = 81;
    expect(room.shortage()).toBe('81 of the 100 MiB of its heap are in use');
  });

  it('counts what is kept outside of the heap when the process occupies it', () => {
    const { state, room } = processWith({ held: 10, outside: 895, resident: 850 });
    expect(room.shortage()).toBeUndefined();
    state.resident = 950;
    expect(room.shortage()).toBe('950 of 1,000 MiB are in use');
  });

  it('has room in this process', () => expect(new MemoryRoom().shortage()).toBeUndefined());
});

describe('oldGenerationLimit', () => {
  it.each<[string, number, string[], number | undefined, number]>([
    ['the option, whatever the young generation may have', 256, ['--max-old-space-size=64'], undefined, 64],
    ['the option with underscores', 256, ['--max_old_space_size=64'], undefined, 64],
    ['the last option', 300, ['--max-old-space-size=64', '--max-old-space-size=100'], undefined, 100],
    ['what a large young generation leaves', 4480, ['--max-semi-space-size=128'], undefined, 4096],
    [
      'what the young generation leaves of a share of the machine',
      2602,
      ['--max-old-space-size-percentage=10'],
      undefined,
      2410,
    ],
    ['the limit of a worker', 4288, [], 64, 64],
    ['what V8 chooses for a machine with much memory (24.21)', 4288, [], undefined, 4096],
  ])('is %s', (_, heap, options, workerMib, expected) => {
    expect(oldGenerationLimit({ heapLimit: heap * MIB, options, workerMib }) / MIB).toBe(expected);
  });

  it('is more than nothing for a young generation that leaves nothing', () => {
    expect(oldGenerationLimit({ heapLimit: 100, options: ['--max-semi-space-size=64'] })).toBe(50);
  });
});
