import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { answerOf, compile, VARS, valueFrom } from '../../support/cel.ts';

describe('arithmetic', () => {
  it.each([
    ['object.spec.replicas + 1', 4],
    ['object.spec.replicas / 2', 1],
    ['-7 / 2', -3],
    ['object.spec.replicas / 2.0', 1.5],
    ['object.spec.replicas * 1.5', 4.5],
    ['object.status.ratio * 4', 2],
    ['double(object.spec.replicas) / 2', 1.5],
    ['1 == 1.0', true],
    ['9007199254740993 > 9007199254740000', true],
  ])('%s is %j', (source, expected) => {
    expect(valueFrom(source)).toEqual(expected);
  });
});

it('a time or a duration is compared with a string that names one', () => {
  expect(answerOf('object.metadata.creationTimestamp < now')).toBe(true);
  expect(answerOf('now - object.metadata.creationTimestamp > "1h"')).toBe(true);
  expect(answerOf('now - object.metadata.creationTimestamp > "2d"')).toBe(false);
});

describe('whole numbers are exact to 64 bits, and compared exactly beyond', () => {
  const object = parseJson(
    '{"big":9007199254740993,"most":9223372036854775807,"least":-9223372036854775808,"uint":18446744073709551615,"huge":1E400,"list":[{"n":9007199254740992},{"n":9007199254740993}]}',
  );
  it.each([
    ['object.big == 9007199254740993', true],
    ['object.big == 9007199254740992', false],
    ['object.big > 9007199254740992', true],
    ['object.big != object.list[0].n && object.big == object.list[1].n', true],
    ['object.big + 1 == 9007199254740994', true],
    ['object.list[0].n + 1 == object.big', true],
    ['9007199254740991 + 2 == object.big', true],
    ['object.most - object.big == 9214364837600034814', true],
    ['object.big * 1000 == 9007199254740993000', true],
    ['object.big / 2 == 4503599627370496', true],
    ['object.big % 10 == 3', true],
    ['-object.big == -9007199254740993', true],
    ['object.least == -9223372036854775808', true],
    ['object.uint > object.most', true],
    ['object.huge > object.uint', true],
    ['object.big in [9007199254740993]', true],
    ['object.list.exists(x, x.n == 9007199254740993)', true],
    ['object.list.map(x, x.n).max() == 9007199254740993', true],
    ['object.list.map(x, x.n).sum() == 18014398509481985', true],
    ['int("9223372036854775807") == object.most', true],
    ['uint("18446744073709551615") == object.uint', true],
    ['string(object.big) == "9007199254740993"', true],
    ['double(object.big) == 9007199254740992.0', true],
    ['type(object.big) == int', true],
    ['"%d".format([object.big]) == "9007199254740993"', true],
    ['quantity(object.big).asInteger() == object.big', true],
    ['{"a": object.big} == {"a": 9007199254740993}', true],
    ['object.big == 9007199254740993.0', false],
  ])('%s is %s', (source, answer) => {
    expect(compile(source).test({ ...VARS, object })).toBe(answer);
  });

  it('are returned as they are in an object', () => {
    expect(compile('object.big').evaluate({ ...VARS, object })).toBe(9007199254740993n);
    expect(compile('[object.big - 2]').evaluate({ ...VARS, object })).toEqual([9007199254740991]);
  });
});
