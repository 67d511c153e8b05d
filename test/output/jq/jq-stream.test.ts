import { describe, expect, it } from 'vitest';
import { JqStream } from '../../../src/output/jq/jq-stream.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

/** A stream of an expression that gives each line back, and the texts that the reader got. */
function setup() {
  const texts: string[] = [];
  const stream = new JqStream({
    jq: { readsOn: false, results: async (lines: string) => `${lines}\n` } as never,
    target: { write: (text) => texts.push(text) > 0, ready: async () => {} },
    clock: new FakeClock(),
    onFailure: () => {},
    onLimit: () => {},
  });
  return { stream, texts };
}

describe('a stream through jq', () => {
  it('gives the reader the results in their order', async () => {
    const { stream, texts } = setup();
    stream.write('1\n2\n');
    stream.write('3\n');
    await stream.caughtUp();
    expect(texts.join('')).toBe('1\n2\n3\n');
    expect(await stream.end(1_000)).toBe(0);
  });

  it('ends after a text without a line', async () => {
    const { stream, texts } = setup();
    stream.write('');
    await stream.caughtUp();
    stream.write('1\n');
    stream.write('');
    expect(await stream.end(1_000)).toBe(0);
    expect(texts).toEqual(['1\n']);
  });
});
