import { describe, expect, it } from 'vitest';
import { TrafficCounter } from '../../../src/client/http/traffic.ts';

const NONE = { requests: 0, bytes: 0, events: 0, objects: 0, remaining: undefined };

describe('Traffic', () => {
  it('adds to its own counts and to those of the wider scope', () => {
    const total = new TrafficCounter();
    const one = new TrafficCounter(total);
    const other = new TrafficCounter(total);
    one.add({ requests: 1, bytes: 10 });
    other.add({ requests: 2, events: 3, objects: 4 });
    one.left(7);
    expect(one.toJSON()).toEqual({ ...NONE, requests: 1, bytes: 10, remaining: 7 });
    expect(other.toJSON()).toEqual({ ...NONE, requests: 2, events: 3, objects: 4 });
    expect(JSON.parse(JSON.stringify(total))).toEqual({ requests: 3, bytes: 10, events: 3, objects: 4, remaining: 7 });
  });
});

describe('Traffic.counted', () => {
  async function* pieces(onReturn: () => void) {
    try {
      yield Buffer.from('abc');
      yield Buffer.from('de');
    } finally {
      onReturn();
    }
  }

  it('counts the bytes of a body while it is read, and reports each chunk', async () => {
    const traffic = new TrafficCounter();
    const seen: number[] = [];
    const texts: string[] = [];
    const body = traffic.counted(
      pieces(() => {}),
      () => seen.push(traffic.bytes),
    );
    for await (const chunk of body) texts.push(String(chunk));
    expect([texts, seen, traffic.bytes]).toEqual([['abc', 'de'], [3, 5], 5]);
  });

  it('closes the body when its reader leaves', async () => {
    let isClosed = false;
    const traffic = new TrafficCounter();
    for await (const _ of traffic.counted(pieces(() => (isClosed = true)))) break;
    expect([isClosed, traffic.bytes]).toEqual([true, 3]);
  });

  it('closes the body also before the first chunk', async () => {
    let isClosed = false;
    const body = {
      [Symbol.asyncIterator]: () => ({
        next: () => expect.unreachable(),
        return: async () => {
          isClosed = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    expect(await new TrafficCounter().counted(body).return?.()).toEqual({ done: true, value: undefined });
    expect(isClosed).toBe(true);
  });

  it('passes on the error of the body', async () => {
    const broken = (async function* () {
      yield Buffer.from('a');
      throw new Error('reset');
    })();
    const body = new TrafficCounter().counted(broken);
    await body.next();
    await expect(body.next()).rejects.toThrow('reset');
  });
});
