import { isIP } from 'node:net';

/** An IP address; two are the same when family and bits are. */
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

/** A block of addresses: `10.0.0.0/8`. */
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

/** Reads an address; undefined for what is none, or has a zone or an IPv4 address inside, as the API server refuses those. */
export function parseIp(text: string): IpAddress | undefined {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 4) return new IpAddress(4, joined(text.split('.').map(Number), 8n), text);
  return family === 6 && !text.includes('.') ? new IpAddress(6, joined(groupsOf(text), 16n), text) : undefined;
}

/** Reads a block; undefined for what is none. */
export function parseBlock(text: string): IpBlock | undefined {
  const slash = text.lastIndexOf('/');
  const address = parseIp(text.slice(0, Math.max(slash, 0)));
  const prefix = text.slice(slash + 1);
  if (!address || !/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > WIDTH[address.family]) return undefined;
  return new IpBlock(address, Number(prefix));
}

/** The eight groups, those that `::` leaves out among them. */
function groupsOf(text: string): number[] {
  const [head = [], tail = []] = text.split('::').map((part) => (part === '' ? [] : part.split(':')));
  return [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail].map((group) => Number.parseInt(group, 16));
}

function joined(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}
