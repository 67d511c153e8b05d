import { describe, expect, it } from 'vitest';
import { bounded } from '../../../src/client/http/bounded-body.ts';
import { isOversized } from '../../../src/client/http/limits.ts';
import { TrafficCounter } from '../../../src/client/http/traffic.ts';

const CHUNK = 64 * 1024;

/** A body without an end, and how often the memory was looked at. */
function endless(isFull: () => boolean) {
  const traffic = new TrafficCounter();
  traffic.add({ bytes: 1e9, objects: 7, events: 7 });
  const state = { chunks: 0, looks: 0, closed: 0 };
  const body: AsyncIterableIterator<Uint8Array> = {
    next: async () => {
      state.chunks++;
      traffic.add({ bytes: CHUNK });
      return { done: false, value: new Uint8Array(CHUNK) };
    },
    return: async () => {
      state.closed++;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  const reading = { what: 'the list of v1/pods', traffic, since: traffic.toJSON() };
  const shortage = () => {
    state.looks++;
    return isFull() ? '81 of the 100 MiB of its heap are in use' : undefined;
  };
  return { traffic, state, body: bounded(body, reading, shortage) };
}

describe('a body of a collection', () => {
  it('looks at the memory once for each 256 KiB', async () => {
    const { state, body } = endless(() => false);
    for (let i = 0; i < 160; i++) await body.next();
    expect(state).toEqual({ chunks: 160, looks: 40, closed: 0 });
  });

  it('ends when the memory is full, says what was read of it, why, and what to do, and closes the connection', async () => {
    const { traffic, state, body } = endless(() => state.looks > 100);
    const read = async () => {
      for await (const _ of body) traffic.add({ objects: 10 });
    };
    const error = await read().catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: 'decode',
      message: expect.stringMatching(
        /^the list of v1\/pods does not fit into the memory of this process: 81 of the 100 MiB of its heap are in use after 4,0[0-9]0 objects \(25 MiB\)$/,
      ),
      hint: expect.stringContaining('NODE_OPTIONS=--max-old-space-size='),
    });
    expect([isOversized(error), state.closed]).toEqual([true, 1]);
  });

  it('names events where it is a watch', async () => {
    const { traffic, body } = endless(() => true);
    traffic.add({ events: 3 });
    const read = async () => {
      for await (const _ of body);
    };
    await expect(read()).rejects.toThrow(/after 3 events \(0 MiB\)$/);
  });
});
