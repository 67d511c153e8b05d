import { describe, expect, it } from 'vitest';
import { shardHash } from '../../../src/model/shard-hash.ts';
import { parseShardSelector } from '../../../src/sandbox/read/shard-selector.ts';

const LOW = "'0x0000000000000000', '0x8000000000000000'";
const object = (uid: string, namespace = 'a') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', namespace, uid },
});

function problemOf(text: string): string {
  try {
    parseShardSelector(text);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a shard selector', () => {
  it.each([
    `shardRange(object.metadata.uid,${LOW})`,
    `(shardRange(object.metadata.uid, "0x0000000000000000", "0x8000000000000000"))`,
    `x.shardRange(object.metadata.uid, ${LOW})`,
  ])('%s is repeated in one spelling', (text) =>
    expect(parseShardSelector(text).text).toBe(`shardRange(object.metadata.uid, ${LOW})`),
  );

  it('matches by the hash of the uid, or of the namespace; the end does not belong to a range', () => {
    const hash = shardHash('some-uid');
    const next = (BigInt(`0x${hash}`) + 1n).toString(16).padStart(16, '0');
    const range = (from: string, to: string, field = 'uid') =>
      parseShardSelector(`shardRange(object.metadata.${field}, '0x${from}', '0x${to}')`);
    expect(range(hash, next).matches(object('some-uid'))).toBe(true);
    expect(range('0000000000000000', hash).matches(object('some-uid'))).toBe(false);
    expect(range(next, '10000000000000000').matches(object('some-uid'))).toBe(false);
    expect(range(hash, next, 'namespace').matches(object('other', 'some-uid'))).toBe(true);
    expect(range('0000000000000000', '10000000000000000').matches(object('any'))).toBe(true);
  });

  it('joined by || matches what one of its ranges matches', () => {
    const hash = shardHash('u');
    const next = (BigInt(`0x${hash}`) + 1n).toString(16).padStart(16, '0');
    const text = `shardRange(object.metadata.uid, '0x${hash}', '0x${next}')`;
    const other = "shardRange(object.metadata.uid, '0x0000000000000000', '0x0000000000000001')";
    expect(parseShardSelector(`${other} || ${text}`).matches(object('u'))).toBe(true);
    expect(parseShardSelector(`${other} || ${text}`).text).toBe(`${other} || ${text}`);
  });

  // each answered so by a kube-apiserver 1.36.3
  it.each([
    [' ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
    ["shardRange(object.metadata.uid, '0x0000000000000000')", 'shardRange() requires exactly 3 arguments, got 2'],
    ['shardRange()', 'shardRange() requires exactly 3 arguments, got 0'],
    ["shardRange(object.metadata.uid, '0x0000000000000000', 5)", 'hexEnd must be a string literal, got int64'],
    ["shardRange(object.metadata.uid, 0, '0x8000000000000000')", 'hexStart must be a string literal, got int64'],
    [
      `shardRange('x', ${LOW})`,
      'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5',
    ],
    [
      `shardRange(object, ${LOW})`,
      'unsupported field path "object"; supported: object.metadata.uid, object.metadata.namespace',
    ],
    [
      `shardRange(object.metadata.labels['a'], ${LOW})`,
      'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 1',
    ],
    ["shardRange(object.metadata.uid, '', '0x8000000000000000')", `hexStart must have '0x' prefix, got ""`],
    ["shardRange(object.metadata.uid, '0x', '0x8000000000000000')", "hexStart: hex value is required after '0x'"],
    [
      "shardRange(object.metadata.uid, '0X0000000000000000', '0x8000000000000000')",
      `hexStart must have '0x' prefix, got "0X0000000000000000"`,
    ],
    [
      "shardRange(object.metadata.uid, '0x000000000000000g', '0x8000000000000000')",
      'hexStart: invalid hex character "g" in "0x000000000000000g"',
    ],
    [
      "shardRange(object.metadata.uid, '0x9000000000000000', '0x8000000000000000')",
      'shard range start 0x9000000000000000 must be less than end 0x8000000000000000',
    ],
    [
      "shardRange(object.metadata.uid, '0x10000000000000000', '0x10000000000000000')",
      'shard range start 0x10000000000000000 must be less than end 0x10000000000000000',
    ],
    [
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x20000000000000000')",
      `hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got "0x20000000000000000"`,
    ],
    [`!shardRange(object.metadata.uid, ${LOW})`, 'unsupported function "!_"; only shardRange() and || are allowed'],
    ['true', 'unexpected expression kind 5; expected shardRange() call or || operator'],
    ["'a'", 'unexpected expression kind 5; expected shardRange() call or || operator'],
    ['a.b', 'unexpected expression kind 7; expected shardRange() call or || operator'],
    ['[1]', 'unexpected expression kind 4; expected shardRange() call or || operator'],
    ['{}', 'unexpected expression kind 6; expected shardRange() call or || operator'],
    ['foo(object.metadata.uid)', 'unsupported function "foo"; only shardRange() and || are allowed'],
    [
      `shardRange(object.metadata.uid, ${LOW}) || true`,
      'unexpected expression kind 5; expected shardRange() call or || operator',
    ],
    [
      `shardRange(object.metadata.uid, ${LOW}) shardRange`,
      "CEL parse error: Syntax error: extraneous input 'shardRange' expecting <EOF>",
    ],
    [
      `shardRange(object.metadata.uid, ${LOW}) ||`,
      "CEL parse error: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ])('%s is refused as a real server does', (text, message) => expect(problemOf(text)).toBe(message));

  it('that is nested without end is refused', () =>
    expect(problemOf('('.repeat(10_000))).toMatch(/^CEL parse error: Syntax error: expression recursion limit/));
});
