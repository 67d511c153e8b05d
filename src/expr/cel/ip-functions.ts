import { ask, asText, type CelFunction, define } from './function.ts';
import { IpAddress, IpBlock, parseBlock, parseIp } from './ip-address.ts';
import { celFailure, typeNameOf } from './values.ts';

/**
 * The functions of Kubernetes' IP and CIDR libraries that filters use. Source: apiserver cel library ip.go, cidr.go.
 */
export const addressFunctions: readonly CelFunction[] = [
  ask('isIP', ['isIP(string): bool'], (value) => parseIp(asText(value)) !== undefined),
  ask('isCIDR', ['isCIDR(string): bool'], (value) => parseBlock(asText(value)) !== undefined),
  define('ip', ['ip(string): net.IP'], address),
  define('cidr', ['cidr(string): net.CIDR'], block),
  define('.family', ['net.IP.family(): int'], (value) => address(value).family),
  ask('.isLoopback', ['net.IP.isLoopback(): bool'], (value) =>
    LOOPBACK.some((range) => range?.contains(address(value))),
  ),
  ask('.isUnspecified', ['net.IP.isUnspecified(): bool'], (value) => address(value).bits === 0n),
  ask('.containsIP', ['net.CIDR.containsIP(string): bool', 'net.CIDR.containsIP(net.IP): bool'], (value, inside) =>
    block(value).contains(address(inside)),
  ),
  ask(
    '.containsCIDR',
    ['net.CIDR.containsCIDR(string): bool', 'net.CIDR.containsCIDR(net.CIDR): bool'],
    (value, inside) => block(value).containsBlock(block(inside)),
  ),
  define('.ip', ['net.CIDR.ip(): net.IP'], (value) => block(value).address),
  define('.prefixLength', ['net.CIDR.prefixLength(): int'], (value) => block(value).prefix),
];

const LOOPBACK = [parseBlock('127.0.0.0/8'), parseBlock('::1/128')];

function address(value: unknown): IpAddress {
  if (value instanceof IpAddress) return value;
  if (typeof value !== 'string') return celFailure(`expected an IP address, got ${typeNameOf(value)}`);
  return parseIp(value) ?? celFailure('ip() cannot read this text: it takes 10.0.0.1 or fd00::1');
}

function block(value: unknown): IpBlock {
  if (value instanceof IpBlock) return value;
  if (typeof value !== 'string') return celFailure(`expected a CIDR, got ${typeNameOf(value)}`);
  return parseBlock(value) ?? celFailure('cidr() cannot read this text: it takes 10.0.0.0/8 or fd00::/64');
}
