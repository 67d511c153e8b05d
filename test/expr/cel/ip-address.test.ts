import { describe, expect, it } from 'vitest';
import { type IpAddress, type IpBlock, parseBlock, parseIp } from '../../../src/expr/cel/ip-address.ts';

const ip = (text: string) => parseIp(text) as IpAddress;
const block = (text: string) => parseBlock(text) as IpBlock;

describe('an address', () => {
  it.each<[string, 4 | 6, bigint]>([
    ['10.0.0.1', 4, 0x0a000001n],
    ['255.255.255.255', 4, 0xffffffffn],
    ['::', 6, 0n],
    ['::1', 6, 1n],
    ['fd00::1:2', 6, 0xfd000000000000000000000000010002n],
    ['1:2:3:4:5:6:7:8', 6, 0x00010002000300040005000600070008n],
  ])('%s is parsed', (text, family, bits) => {
    expect(ip(text)).toMatchObject({ family, bits });
    expect(String(ip(text))).toBe(text);
  });

  it.each(['', '10.0.0', '10.0.0.256', '010.0.0.1', '::ffff:1.2.3.4', 'fe80::1%eth0', ':::', '1:2', 'host'])(
    '%j is none',
    (text) => {
      expect(parseIp(text)).toBeUndefined();
    },
  );
});

describe('a block', () => {
  it.each(['10.0.0.0', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/-1', '::/129', '/8', ''])(
    '%j is none',
    (text) => {
      expect(parseBlock(text)).toBeUndefined();
    },
  );

  it.each<[string, string[], string[]]>([
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0', '::a00:0']],
    ['10.1.2.3/32', ['10.1.2.3'], ['10.1.2.2', '10.1.2.4']],
    ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], ['::']],
    ['fd00::/64', ['fd00::', 'fd00::ffff:ffff:ffff:ffff'], ['fd00:0:0:1::', '10.0.0.1']],
  ])('%s contains %j and not %j', (text, inside, outside) => {
    expect(inside.filter((each) => !block(text).contains(ip(each)))).toEqual([]);
    expect(outside.filter((each) => block(text).contains(ip(each)))).toEqual([]);
  });

  it('contains itself and smaller blocks within it', () => {
    const outer = block('10.0.0.0/8');
    const others = ['10.0.0.0/8', '10.4.0.0/16', '10.0.0.0/7', '11.0.0.0/16'].map(block);
    expect(others.map((inner) => outer.containsBlock(inner))).toEqual([true, true, false, false]);
    expect(String(outer)).toBe('10.0.0.0/8');
  });
});
