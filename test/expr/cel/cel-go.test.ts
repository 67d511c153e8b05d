import { describe, expect, it } from 'vitest';
import { compile, VARS } from '../../support/cel.ts';

const T = 'timestamp("2026-01-31T12:00:00';

/** The value over an object with values of many types. */
function answer(source: string): unknown {
  const object = { null: null, list: [1, null, 'a', { a: 2 }], text: 'a😀b', map: { a: 1 } };
  return compile(source).evaluate({ ...VARS, object });
}

// Every answer is that of the API server 1.36.3 with cel-go 0.26.0, asked with the same expression.
describe('the answer is that of the API server', () => {
  it.each([
    ['bytes of a literal are UTF-8', 'string(b"é😀")', 'é😀'],
    ['an escape in a literal of bytes is one byte', 'b"é\\xff\\377\\n" == bytes("é\\n")', false],
    ['an escape in a literal of bytes is one byte', "size(b'''é\\xff\\377\\n''')", 5],
    ['bytes have an order', 'b"abc" < b"abd" && b"" < b"a" && dyn(b"\\xff") > b"z"', true],
    ['bytes have an order', '[b"b", b"a"].isSorted()', false],
    ['null in a list is null', 'object.list[1] == null', true],
    ['null in a list is null', 'object.list.exists(x, x == null)', true],
    ['null in a list is null', 'object.list[?1].hasValue()', true],
    ['positions count characters', 'object.text.indexOf("b")', 2],
    ['positions count characters', 'object.text.lastIndexOf("b")', 2],
    ['positions count characters', '"😀a😀".lastIndexOf("a", 1)', 1],
    ['positions count characters', '"😀a😀".indexOf("😀", 1)', 2],
    ['positions count characters', 'object.text.substring(1, 2)', '😀'],
    ['positions count characters', 'object.text.substring(2)', 'b'],
    ['a search behind the end finds nothing', '"abc".indexOf("c", 3)', -1],
    ['a search behind the end finds nothing', '"abc".indexOf("c", 100)', -1],
    ['a search behind the end finds nothing', '"abc".lastIndexOf("c", 3)', -1],
    ['the empty text is found at the position itself', '"abc".indexOf("", 100)', 100],
    ['the empty text is found at the position itself', '"abc".indexOf("", -1)', -1],
    ['the empty text is found at the position itself', '"a😀".lastIndexOf("")', 2],
    ['the last position can be a text before it', '"abcabc".lastIndexOf("bc", 5)', 4],
    ['split by nothing gives characters', 'object.text.split("")', ['a', '😀', 'b']],
    ['split by nothing gives characters', '"😀ab".split("", 2)', ['😀', 'ab']],
    ['split of nothing by nothing', '"".split("")', []],
    ['replacement of nothing is between characters', '"a😀".replace("", "-")', '-a-😀-'],
    ['replacement of nothing is between characters', '"a😀b".replace("", "-", 2)', '-a-😀b'],
    ['texts are ordered by characters', '"\\uffff" < "😀"', true],
    ['texts are ordered by characters', '["\\uffff", "😀"].isSorted()', true],
    ['trim() keeps a byte order mark', '"\\ufeff a\\u0085".trim()', '\ufeff a'],
    ['one letter is a bool', 'bool("T") && !bool("F")', true],
    ['has() of a value without fields is false', 'has(object.text.x)', false],
    ['has() of a value without fields is false', 'has(object.list[0].x)', false],
    ['has() takes every path to a field', 'has(object.list[3].a) && !has(object.list[3].b)', true],
    ['has() takes every path to a field', 'has(object["map"].a) && has({"a": 1}.a)', true],
    ['has() takes every path to a field', 'object.list.exists(x, has(object.list.filter(y, y == x)[0].a))', true],
    ['a duration can be negated', '-dyn(duration("90s"))', '-90s'],
    ['a duration as an int is its nanoseconds', 'int(duration("100ms"))', 100_000_000],
    ['a time as an int is rounded down', 'int(timestamp("1969-12-31T23:59:59.5Z"))', -1],
    ['times have nanoseconds', `${T}.123456789Z") > ${T}.123456788Z")`, true],
    ['times have nanoseconds', `${T}.123456789Z") == ${T}.123456788Z")`, false],
    ['times have nanoseconds', `${T}.123456Z") - ${T}.123455Z") == duration("1us")`, true],
    ['times have nanoseconds', `string(${T}Z") - duration("1ns"))`, '2026-01-31T11:59:59.999999999Z'],
    ['times have nanoseconds', `${T}.120000789Z")`, '2026-01-31T12:00:00.120000789Z'],
    ['durations have nanoseconds', 'duration("0.1ms") + duration("0.2ms") == duration("0.3ms")', true],
    ['durations have nanoseconds', 'string(duration("2h") + duration("1us"))', '7200.000001s'],
    ['durations have nanoseconds', 'string(duration("1ns"))', '0.000000001s'],
    ['durations have nanoseconds', 'duration("0.0000000001s") == duration("0")', true],
    ['durations have nanoseconds', 'int(duration("2562047h47m16.854775807s"))', 9223372036854775807n],
    ['zones of the first year', 'timestamp("0001-01-01T00:00:00Z").getHours("Etc/GMT+5")', 19],
    ['zones before standard time', 'timestamp("1850-01-01T12:00:00Z").getMinutes("Europe/Berlin")', 53],
    ['zones of the last year', 'timestamp("9999-12-31T23:59:59Z").getFullYear("Asia/Kolkata")', 10000],
    ['a uint is an int', 'int(7u)', 7],
    ['optionals can be compared', 'object.?map == optional.of({"a": 1})', true],
    ['optionals can be compared', 'object.?x != optional.none()', false],
    ['a zone may have one digit', 'timestamp("2026-01-31T12:00:00Z").getHours("+2:00")', 14],
    ['a bool in binary', '"%b%b".format([true, false])', '10'],
    ['bytes in hex', '"%x%X".format([b"\\xff", b"\\xff"])', 'ffFF'],
    ['a list as text', '"%s".format([["a", "b"]])', '["a", "b"]'],
    ['a list as text', '"%s".format([[1.5, dyn(null), b"x", true]])', '[1.500000, null, b"x", true]'],
    ['a list as text', '"%s".format([[dyn(duration("90s"))]])', '[duration("90s")]'],
    ['a map as text', '"%s".format([{"b": [1], "a": "x"}])', '{"a":"x", "b":[1]}'],
    ['half is rounded to the even digit', '"%.0f %.0f %.1f".format([0.5, 2.5, 0.25])', '0 2 0.2'],
    ['masked() clears the bits of hosts', 'string(cidr("10.1.2.3/8").masked())', '10.0.0.0/8'],
    ['masked() clears the bits of hosts', 'string(cidr("fd00:1::5/16").masked())', 'fd00::/16'],
    ['an address is printed in its canonical form', 'string(ip("2001:DB8:0:0:1:0:0:1"))', '2001:db8::1:0:0:1'],
    ['an address is printed in its canonical form', 'string(cidr("2001:db8:0:0::/64"))', '2001:db8::/64'],
    ['an IPv6 address may end as an IPv4 address', 'string(ip("64:ff9b::1.2.3.4"))', '64:ff9b::102:304'],
    ['no IPv4 address in IPv6', 'isIP("::ffff:1.2.3.4") || isIP("::ffff:0102:0304")', false],
    ['no IPv4 address in IPv6', 'isCIDR("::ffff:102:304/96")', false],
    ['ip.isCanonical()', 'ip.isCanonical("fd00::1") && !ip.isCanonical("FD00::1")', true],
    ['isGlobalUnicast()', 'ip("10.0.0.1").isGlobalUnicast() && ip("2001:db8::1").isGlobalUnicast()', true],
    ['isGlobalUnicast()', 'ip("255.255.255.255").isGlobalUnicast() || ip("ff02::1").isGlobalUnicast()', false],
    ['isLinkLocalUnicast()', 'ip("169.254.1.1").isLinkLocalUnicast() && ip("fe80::1").isLinkLocalUnicast()', true],
    [
      'isLinkLocalMulticast()',
      'ip("224.0.0.1").isLinkLocalMulticast() && ip("ff02::1").isLinkLocalMulticast() && !ip("224.0.1.1").isLinkLocalMulticast()',
      true,
    ],
  ])('%s: %s', (_, source, expected) => {
    expect(answer(source)).toEqual(expected);
  });

  it.each([
    ['the smallest int has no opposite', '-(-9223372036854775808)', 'integer overflow'],
    ['uint() takes no sign', 'uint("+1")', 'uint() cannot read this text'],
    ['bytes that are no UTF-8 are no text', 'string(b"\\xff")', 'string() cannot read these bytes'],
    [
      'more than 292 years',
      'timestamp("2026-01-01T00:00:00Z") - timestamp("1582-01-01T00:00:00Z")',
      'duration overflow',
    ],
    ['more than 292 years', 'duration("2562047h47m") + duration("1h")', 'duration overflow'],
    [
      'a time behind the last year',
      'timestamp("9999-12-31T23:59:59.999999999Z") + duration("1ns")',
      'timestamp overflow',
    ],
    ['a position is in characters', '"😀".substring(0, 2)', 'the index is out of range'],
    ['a zone has a colon', 'timestamp("2026-01-31T12:00:00Z").getHours("+0200")', 'there is no such time zone'],
    ['a fraction has no hex', '"%x".format([1.5])', '%x of format() needs'],
    ['ip.isCanonical() of other text', 'ip.isCanonical("x")', 'cannot read this text'],
  ])('%s: %s fails', (_, source, message) => {
    expect(() => answer(source)).toThrow(message);
  });
});
