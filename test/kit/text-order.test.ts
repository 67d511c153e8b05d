import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareText } from '../../src/kit/text-order.ts';

it('is the order of the UTF-8 bytes, for any texts', () => {
  const unit = fc.constantFrom('a', 'b', '-', 'ü', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}');
  const text = fc.array(unit, { maxLength: 5 }).map((units) => units.join(''));
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

it('differs from `<` beyond U+FFFF', () => {
  expect(['😀', '\uffff', 'a'].sort(compareText)).toEqual(['a', '\uffff', '😀']);
  expect(['😀', '\uffff', 'a'].sort()).toEqual(['a', '😀', '\uffff']);
});
