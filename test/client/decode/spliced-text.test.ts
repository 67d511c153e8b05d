import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splicedText } from '../../../src/client/decode/managed-fields.ts';

it('is the head and the bytes without the cut, for any bytes and length', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { minLength: 3, maxLength: 3 }),
      fc.constantFrom('', '{"kind":"Pod",'),
      fc.constantFrom(0, 1),
      fc.boolean(),
      fc.constantFrom(1, 10_000),
      ([before = '', inner = '', after = ''], head, from, isCut, times) => {
        const [a, b, c] = [`{${before}`, inner.repeat(times), after];
        const bytes = Buffer.from(a + b + c);
        const cut = isCut ? { from: Buffer.byteLength(a), to: Buffer.byteLength(a + b) } : undefined;
        expect(splicedText(bytes, { head, from, cut })).toBe(head + (a + (isCut ? '' : b) + c).slice(from));
      },
    ),
    { numRuns: 200 },
  );
});
