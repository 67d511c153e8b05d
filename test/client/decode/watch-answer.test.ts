import { describe, expect, it } from 'vitest';
import { checkIsWatch } from '../../../src/client/decode/watch-answer.ts';

const gvr = { group: '', version: 'v1', resource: 'pods' };

/** Checks an answer. Gives its error, the number of pieces of its body that were read, and whether it was closed. */
async function check(type: string | undefined, pieces: readonly string[], breaks = false) {
  const seen = { read: 0, isClosed: false };
  async function* body() {
    try {
      for (const piece of pieces) {
        seen.read++;
        yield Buffer.from(piece);
      }
      if (breaks) throw new Error('the connection was reset');
    } finally {
      seen.isClosed = true;
    }
  }
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  const error = await checkIsWatch({ status: 200, headers, body: body() }, gvr).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, ...seen };
}

describe('the answer to a watch', () => {
  it.each(['application/json', 'application/json;stream=watch', 'Application/JSON', undefined])(
    'may have the content type %s, and is not read',
    async (type) => {
      expect(await check(type, ['x'])).toEqual({ error: undefined, read: 0, isClosed: false });
    },
  );

  it.each([
    ['its start, with one blank for many', ['<html>\n\n  <title>Log in ', '</title>'], '<html> <title>Log in'],
    ['80 characters', ['<b>'.repeat(40)], '<b>'.repeat(40).slice(0, 80)],
    ['none of it behind 512 bytes', [`a${' '.repeat(510)}bc`], 'a b'],
    ['nothing if it is empty', [], ''],
  ])('that is no JSON is refused with its type and %s, and is closed', async (_, pieces, shown) => {
    const { error, read } = await check('text/html', pieces);
    expect(error).toMatchObject({
      code: 'decode',
      message: `the answer to watching v1/pods is not a watch but text/html: ${JSON.stringify(shown)}`,
      hint: 'something in front of the API server answers in its place: a login page, or a proxy',
    });
    expect(read).toBe(Math.min(pieces.length, 1));
    expect((await check('text/html', pieces)).isClosed).toBe(true);
  });

  it('that is no JSON and breaks off is refused with its type', async () => {
    const { error } = await check('text/html', [], true);
    expect((error as Error).message).toBe('the answer to watching v1/pods is not a watch but text/html: ""');
  });
});
