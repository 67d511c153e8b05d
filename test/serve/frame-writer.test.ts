import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FrameWriter } from '../../src/serve/frame-writer.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';

const LARGEST_TEXT = 64 * 1024;

/** A writer, and a reader that takes everything, or nothing until it may. */
function answer({ reads = true, patienceMs }: { reads?: boolean; patienceMs?: number } = {}) {
  const clock = new FakeClock();
  const target = new PassThrough({ highWaterMark: 16 });
  let text = '';
  const read = () => void target.on('data', (chunk) => (text += String(chunk)));
  if (reads) read();
  const writer = new FrameWriter(target, { clock, patienceMs });
  const frames = () =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { clock, target, writer, frames, read };
}

describe('the writer of an answer', () => {
  it('writes each frame as one line of JSON, and nothing after the end', async () => {
    const { writer, target, frames, clock } = answer();
    await writer.out('a\nb');
    writer.notice('slow');
    writer.error({ message: 'no' } as unknown as Parameters<typeof writer.error>[0]);
    writer.end({ code: 0 } as unknown as Parameters<typeof writer.end>[0]);
    writer.notice('late');
    await writer.out('late');
    await settled();
    expect(frames()).toEqual([{ out: 'a\nb' }, { notice: 'slow' }, { error: { message: 'no' } }, { end: { code: 0 } }]);
    expect([target.writableEnded, target.destroyed, clock.pending]).toEqual([true, true, 0]);
  });

  it('says that it is unserved, and ends', async () => {
    const { writer, target, frames } = answer();
    writer.unserved('another user');
    await settled();
    expect([frames(), target.writableEnded]).toEqual([[{ unserved: 'another user' }], true]);
  });

  it.each([
    ['a text of the largest length', 'x'.repeat(LARGEST_TEXT), [LARGEST_TEXT]],
    ['a longer text', 'x'.repeat(LARGEST_TEXT + 1), [LARGEST_TEXT, 1]],
    ['a pair of surrogates at a border', `${'x'.repeat(LARGEST_TEXT - 1)}😀y`, [LARGEST_TEXT - 1, 3]],
    ['a pair of surrogates before a border', `${'x'.repeat(LARGEST_TEXT - 2)}😀y`, [LARGEST_TEXT, 1]],
    ['a letter behind the surrogates at a border', `${'x'.repeat(LARGEST_TEXT - 1)}\ue000y`, [LARGEST_TEXT, 1]],
    ['no text', '', []],
  ])('sends %s in whole pieces', async (_, text, lengths) => {
    const { writer, frames } = answer();
    await writer.out(text);
    const pieces = frames().map(({ out }) => out as string);
    expect(pieces.map(({ length }) => length)).toEqual(lengths);
    expect(pieces.join('')).toBe(text);
    writer[Symbol.dispose]();
  });

  it('sends alive after each second without another frame', async () => {
    const { writer, frames, clock } = answer();
    await clock.advance(999);
    writer.notice('a');
    await clock.advance(999);
    expect(frames()).toEqual([{ notice: 'a' }]);
    await clock.advance(1);
    await clock.advance(1000);
    expect(frames()).toEqual([{ notice: 'a' }, { alive: true }, { alive: true }]);
    writer[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });

  it('waits for a slow reader, and sends no alive meanwhile', async () => {
    const { writer, frames, clock, read } = answer({ reads: false });
    let isSent = false;
    const sent = writer.out('x'.repeat(100)).then(() => {
      isSent = true;
    });
    await clock.advance(10_000);
    expect(isSent).toBe(false);
    read();
    await sent;
    expect(frames()).toEqual([{ out: 'x'.repeat(100) }]);
    await clock.advance(1000);
    expect(frames().at(-1)).toEqual({ alive: true });
    writer[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });

  it('gives up a reader that takes nothing for its patience, with the reason', async () => {
    for (const [patienceMs, waitMs] of [
      [2000, 2000],
      [undefined, 300_000],
    ] as const) {
      const { writer, target, clock } = answer({ reads: false, ...(patienceMs ? { patienceMs } : {}) });
      const sent = writer.out('x'.repeat(100));
      const failed = expect(sent).rejects.toThrow(`the asking command has read nothing for ${waitMs / 1000}s`);
      await clock.advance(waitMs - 1);
      expect(writer.signal.aborted).toBe(false);
      await clock.advance(1);
      await failed;
      expect([writer.signal.aborted, target.destroyed]).toEqual([true, true]);
      await expect(writer.out('more')).rejects.toThrow('read nothing');
      writer[Symbol.dispose]();
    }
  });

  it.each([
    ['ends', (target: PassThrough) => target.destroy(), 'the asking command has ended'],
    ['fails', (target: PassThrough) => target.destroy(new Error('EPIPE')), 'EPIPE'],
  ])('aborts its signal when the reader %s', async (_, go, reason) => {
    const { writer, target, frames } = answer();
    go(target);
    await settled();
    expect([writer.signal.aborted, String(writer.signal.reason)]).toEqual([true, expect.stringContaining(reason)]);
    writer.notice('late');
    expect(frames()).toEqual([]);
    writer[Symbol.dispose]();
  });

  it('that is disposed of before its end destroys the connection', async () => {
    const { writer, target, clock } = answer();
    writer[Symbol.dispose]();
    expect([target.destroyed, clock.pending]).toEqual([true, 0]);
  });
});
