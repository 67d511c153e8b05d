import { isIP } from 'node:net';

/** An IP address. Two addresses are equal if their families and bits are. */
export class IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    this.family = family;
    this.bits = bits;
  }

  /** The canonical text: `10.0.0.1` or `fd00::1`. Source: RFC 5952, which Go follows. */
  toString(): string {
    return this.family === 4 ? partsOf(this.bits, 4, 8n).join('.') : shortened(partsOf(this.bits, 8, 16n));
  }
}

/** A block of IP addresses in CIDR notation: `10.0.0.0/8`. */
export class IpBlock {
  readonly address: IpAddress;
  readonly prefix: number;

  constructor(address: IpAddress, prefix: number) {
    this.address = address;
    this.prefix = prefix;
  }

  contains({ family, bits }: IpAddress): boolean {
    return family === this.address.family && bits >> this.#rest === this.address.bits >> this.#rest;
  }

  containsBlock({ address, prefix }: IpBlock): boolean {
    return prefix >= this.prefix && this.contains(address);
  }

  /** The block with no bits beyond the prefix. */
  masked(): IpBlock {
    const { family, bits } = this.address;
    return new IpBlock(new IpAddress(family, (bits >> this.#rest) << this.#rest), this.prefix);
  }

  toString(): string {
    return `${this.address}/${this.prefix}`;
  }

  get #rest(): bigint {
    return BigInt(WIDTH[this.address.family] - this.prefix);
  }
}

const WIDTH = { 4: 32, 6: 128 } as const;

/** The bits above an IPv4 address in an IPv6 address that stands for it. */
const MAPPED = 0xffffn;

/**
 * Parses an IP address. Returns undefined for any other text, for an address with a zone, and for an IPv6 address that
 * stands for an IPv4 address (`::ffff:10.0.0.1`): the API server refuses these too.
 */
export function parseIp(text: string): IpAddress | undefined {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 4) return new IpAddress(4, joined(text.split('.').map(Number), 8n));
  const bits = family === 6 ? joined(groupsOf(withoutDots(text)), 16n) : 0n;
  return family === 6 && bits >> 32n !== MAPPED ? new IpAddress(6, bits) : undefined;
}

/** Parses a block in CIDR notation. Returns undefined for any other text. */
export function parseBlock(text: string): IpBlock | undefined {
  const slash = text.lastIndexOf('/');
  const address = parseIp(text.slice(0, Math.max(slash, 0)));
  const prefix = text.slice(slash + 1);
  if (!address || !/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > WIDTH[address.family]) return undefined;
  return new IpBlock(address, Number(prefix));
}

/** An IPv6 address with an IPv4 address at its end as groups only. */
function withoutDots(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

/** The eight groups of an IPv6 address, with the zeros that `::` leaves out. */
function groupsOf(text: string): number[] {
  const [head = [], tail = []] = text.split('::').map((part) => (part === '' ? [] : part.split(':')));
  return [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail].map((group) =>
    Number.parseInt(group, 16),
  );
}

function joined(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}

function partsOf(bits: bigint, count: number, width: bigint): bigint[] {
  return Array.from({ length: count }, (_, i) =>
    BigInt.asUintN(Number(width), bits >> (width * BigInt(count - 1 - i))),
  );
}

/** Groups as text. The first of the longest runs of two or more zeros becomes `::`. */
function shortened(groups: readonly bigint[]): string {
  const text = groups.map((group) => group.toString(16)).join(':');
  const runs = Array.from(text.matchAll(/\b0(?::0\b)+/g), ([run]) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  const at = text.search(new RegExp(`\\b${longest}\\b`));
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}
