import { isIP } from 'node:net';

/** An IP address. Two addresses are equal if their families and bits are. */
export class IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
  readonly #text: string;

  constructor(family: 4 | 6, bits: bigint, text: string) {
    this.family = family;
    this.bits = bits;
    this.#text = text;
  }

  toString(): string {
    return this.#text;
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
    const rest = BigInt(WIDTH[family] - this.prefix);
    return family === this.address.family && bits >> rest === this.address.bits >> rest;
  }

  containsBlock({ address, prefix }: IpBlock): boolean {
    return prefix >= this.prefix && this.contains(address);
  }

  toString(): string {
    return `${this.address}/${this.prefix}`;
  }
}

const WIDTH = { 4: 32, 6: 128 } as const;

/**
 * Parses an IP address. Returns undefined for any other text, for an address with a zone, and for an IPv6 address that
 * contains an IPv4 address: the API server refuses these too.
 */
export function parseIp(text: string): IpAddress | undefined {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 4) return new IpAddress(4, joined(text.split('.').map(Number), 8n), text);
  return family === 6 && !text.includes('.') ? new IpAddress(6, joined(groupsOf(text), 16n), text) : undefined;
}

/** Parses a block in CIDR notation. Returns undefined for any other text. */
export function parseBlock(text: string): IpBlock | undefined {
  const slash = text.lastIndexOf('/');
  const address = parseIp(text.slice(0, Math.max(slash, 0)));
  const prefix = text.slice(slash + 1);
  if (!address || !/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > WIDTH[address.family]) return undefined;
  return new IpBlock(address, Number(prefix));
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
