import { expect, it } from 'vitest';
import { CelFailure } from '../../../src/expr/cel/cel-values.ts';
import { type Frame, failureAt, placed } from '../../../src/expr/cel/frame.ts';

const frame: Frame = { vars: {}, locals: [], at: 7 };

it('a failure gets the place of the last operation, unless it has one', () => {
  expect(placed(new CelFailure('x'), frame)).toMatchObject({ message: 'x', at: 7 });
  const own = Object.assign(new CelFailure('x'), { at: 3 });
  expect(placed(own, frame)).toBe(own);
  expect(own.at).toBe(3);
  expect(() => failureAt('y', 4)).toThrow(expect.objectContaining({ message: 'y', at: 4 }));
});

it('any other error becomes a failure that does not repeat its message, which may hold a value', () => {
  const cause = new TypeError('secret is not iterable');
  expect(placed(cause, frame)).toMatchObject({ message: 'it cannot be evaluated', cause, at: 7 });
  expect(placed(new RangeError('Invalid time value'), frame).message).toBe('it cannot be evaluated');
});

it('only the overflow of the stack is reported as nesting', () => {
  const recurse = (): number => recurse() + 1;
  let overflow: unknown;
  try {
    recurse();
  } catch (error) {
    overflow = error;
  }
  expect(placed(overflow, frame).message).toBe('it is nested too deep');
});
