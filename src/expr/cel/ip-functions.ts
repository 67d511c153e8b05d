import { celFailure, typeNameOf } from './cel-values.ts';
import { ask, asText, type CelFunction, define } from './function.ts';
import { IpAddress, IpBlock, parseBlock, parseIp } from './ip-address.ts';

/**
 * The functions of Kubernetes' IP and CIDR libraries that filters use. Source: apiserver cel library ip.go, cidr.go.
 */
export const addressFunctions: readonly CelFunction[] = [
  ask('isIP', ['isIP(string): bool'], (value) => parseIp(asText(value)) !== undefined),
  ask('isCIDR', ['isCIDR(string): bool'], (value) => parseBlock(asText(value)) !== undefined),
  define('ip', ['ip(string): net.IP'], address),
  define('cidr', ['cidr(string): net.CIDR'], block),
  define('.family', ['net.IP.family(): int'], (value) => address(value).family),
  ask('.isLoopback', ['net.IP.isLoopback(): bool'], (value) => isIn(address(value), LOOPBACK)),
  ask('.isUnspecified', ['net.IP.isUnspecified(): bool'], (value) => address(value).bits === 0n),
  ask('.containsIP', ['net.CIDR.containsIP(string): bool', 'net.CIDR.containsIP(net.IP): bool'], (value, inside) =>
    block(value).contains(address(inside)),
  ),
  ask(
    '.containsCIDR',
    ['net.CIDR.containsCIDR(string): bool', 'net.CIDR.containsCIDR(net.CIDR): bool'],
    (value, inside) => block(value).containsBlock(block(inside)),
  ),
  ask('.isLinkLocalMulticast', ['net.IP.isLinkLocalMulticast(): bool'], (value) => isIn(address(value), LOCAL_GROUPS)),
  ask('.isLinkLocalUnicast', ['net.IP.isLinkLocalUnicast(): bool'], (value) => isIn(address(value), LINK_LOCAL)),
  ask('.isGlobalUnicast', ['net.IP.isGlobalUnicast(): bool'], (value) => !isIn(address(value), NOT_GLOBAL)),
  ask('ip.isCanonical', ['Addresses.isCanonical(string): bool'], (text) => String(address(text)) === text),
  define('.masked', ['net.CIDR.masked(): net.CIDR'], (value) => block(value).masked()),
  define('.ip', ['net.CIDR.ip(): net.IP'], (value) => block(value).address),
  define('.prefixLength', ['net.CIDR.prefixLength(): int'], (value) => block(value).prefix),
];

// Source: Go net/netip
const LOOPBACK = blocks('127.0.0.0/8', '::1/128');
const LINK_LOCAL = blocks('169.254.0.0/16', 'fe80::/10');
const LOCAL_GROUPS = blocks('224.0.0.0/24', ...Array.from('0123456789abcdef', (flags) => `ff${flags}2::/16`));
const NOT_GLOBAL = [
  ...LOOPBACK,
  ...LINK_LOCAL,
  ...blocks('0.0.0.0/32', '255.255.255.255/32', '224.0.0.0/4', '::/128', 'ff00::/8'),
];

function blocks(...texts: readonly string[]): IpBlock[] {
  return texts.map((text) => block(text));
}

const isIn = (address: IpAddress, among: readonly IpBlock[]) => among.some((range) => range.contains(address));

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
