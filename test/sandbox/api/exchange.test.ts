import { expect, it } from 'vitest';
import { type ApiResponse, bodyBytes, bodyText, once } from '../../../src/sandbox/api/exchange.ts';

const answer = (...chunks: Uint8Array[]): ApiResponse => ({
  status: 200,
  headers: {},
  body: (async function* () {
    yield* chunks;
  })(),
});

it('joins the chunks of a body', async () => {
  expect(Buffer.from(await bodyBytes(answer(Buffer.from('ab'), Buffer.from('c')))).toString()).toBe('abc');
  expect(await bodyBytes(answer())).toHaveLength(0);
});

it('reads a character that two chunks share', async () => {
  const bytes = Buffer.from('é');
  expect(await bodyText(answer(bytes.subarray(0, 1), bytes.subarray(1)))).toBe('é');
});

it('does not copy a body of one chunk', async () => {
  const bytes = Buffer.from('one');
  expect(await bodyBytes({ status: 200, headers: {}, body: once(bytes) })).toBe(bytes);
});

it('a body can be read once', async () => {
  const response = answer(Buffer.from('a'));
  expect([await bodyText(response), await bodyText(response)]).toEqual(['a', '']);
});
