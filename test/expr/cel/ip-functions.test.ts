import { expect, it } from 'vitest';
import { valueFrom } from '../../support/cel.ts';

it.each([
  ['cidr("10.0.0.0/8").containsIP("10.1.2.3")', true],
  ['cidr("10.0.0.0/8").containsIP(ip("11.1.2.3"))', false],
  ['cidr("10.0.0.0/8").containsCIDR("10.4.0.0/16") && !cidr("10.4.0.0/16").containsCIDR("10.0.0.0/8")', true],
  ['cidr("fd00::/64").containsIP("fd00::1:2") && !cidr("fd00::/64").containsIP("10.0.0.1")', true],
  ['cidr("0.0.0.0/0").containsIP("255.255.255.255")', true],
  ['cidr("192.168.0.0/24").prefixLength() + ip("::1").family()', 30],
  ['ip("fd00::1") == ip("fd00:0:0:0:0:0:0:1") && ip("127.0.0.1") != ip("::1")', true],
  ['ip("127.8.8.8").isLoopback() && ip("::1").isLoopback() && ip("::").isUnspecified()', true],
  [
    '[isIP("10.0.0.1"), isIP("10.0.0.256"), isIP("::ffff:1.2.3.4"), isIP("fe80::1%eth0"), isCIDR("10.0.0.0/33"), isCIDR("::/0")]',
    [true, false, false, false, false, true],
  ],
  ['cidr("10.0.0.0/8").ip()', '10.0.0.0'],
  ['string(cidr("10.0.0.0/8"))', '10.0.0.0/8'],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['ip(object.metadata.name)', 'ip() cannot read this text'],
  ['cidr(object.metadata.name)', 'cidr() cannot read this text'],
  ['dyn(1).family()', 'expected an IP address, got int'],
  ['dyn(true).prefixLength()', 'expected a CIDR, got bool'],
])('%s fails: %s', (source, message) => {
  expect(() => valueFrom(source)).toThrow(message);
});
