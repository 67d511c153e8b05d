import type { Cut } from './managed-fields.ts';

/** The largest buffer to keep. Longer texts are joined from strings. */
const MOST_KEPT = 256 * 1024;

let room = Buffer.alloc(0);

/** A text, and its bytes in a buffer that is used again for the next one; none for a long text. */
interface Spliced {
  readonly text: string;
  readonly bytes: Buffer | undefined;
}

/**
 * The text of `head` (ASCII) and of the bytes from `from` on, without the range `cut`, as one flat string. A text
 * joined from strings would be copied once more when it is parsed, and would leave twice the garbage.
 */
export function splice(
  bytes: Buffer,
  { head = '', from = 0, cut }: { head?: string; from?: number; cut: Cut | undefined },
): Spliced {
  const length = head.length + bytes.length;
  if (length > MOST_KEPT) {
    const rest = cut
      ? bytes.toString('utf8', from, cut.from) + bytes.toString('utf8', cut.to)
      : bytes.toString('utf8', from);
    return { text: head + rest, bytes: undefined };
  }
  if (room.length < length) room = Buffer.allocUnsafeSlow(Math.min(2 * length, MOST_KEPT));
  let end = room.write(head, 0, 'latin1');
  end += bytes.copy(room, end, from, cut ? cut.from : bytes.length);
  if (cut) end += bytes.copy(room, end, cut.to);
  return { text: room.toString('utf8', 0, end), bytes: room.subarray(0, end) };
}

/** As {@link splice}, for the text alone. */
export function splicedText(bytes: Buffer, options: { head?: string; from?: number; cut: Cut | undefined }): string {
  const { head = '', from = 0, cut } = options;
  return !cut && head === '' ? bytes.toString('utf8', from) : splice(bytes, options).text;
}
