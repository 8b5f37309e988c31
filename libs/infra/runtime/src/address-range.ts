import { BlockList, isIP } from 'node:net';

/**
 * Whether the text is an IPv4 or IPv6 address, or a CIDR range of either.
 * Zone ids and IPv4-mapped IPv6 are refused: the caller's address is compared in plain IPv4 or IPv6.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  if (/^::ffff:/i.test(address)) return false;
  if (prefix === undefined) return true;
  return /^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** Whether the ranges together hold every IPv4 or every IPv6 address. @param ranges each as `isAddressRange` accepts it */
export function holdsEverybody(ranges: readonly string[]): boolean {
  return ([4, 6] as const).some((family) => {
    const ofFamily = ranges
      .map(boundsOf)
      .filter((bounds) => bounds.family === family)
      .sort((a, b) => (a.first < b.first ? -1 : 1));
    const reached = ofFamily.reduce((next, { first, last }) => {
      return first > next || last < next ? next : last + 1n;
    }, 0n);
    return reached === 1n << BigInt(bitsOf(family));
  });
}

function bitsOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

function boundsOf(range: string): {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
} {
  const [address = '', prefix] = range.split('/');
  const family = isIP(address) === 4 ? 4 : 6;
  const bits = bitsOf(family);
  const hostBits = BigInt(bits - (prefix === undefined ? bits : Number(prefix)));
  const first = (numberOf(address, family) >> hostBits) << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n };
}

function numberOf(address: string, family: 4 | 6): bigint {
  if (family === 4)
    return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
  // The URL parser writes an embedded IPv4 address as hexadecimal.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const zeros = Array.from({ length: tail === undefined ? 0 : missing }, () => '0');
  return [...groups(head), ...zeros, ...groups(tail)].reduce(
    (value, group) => (value << 16n) | BigInt(`0x${group}`),
    0n,
  );
}

/** Addresses and CIDR ranges as one set that can be asked whether it holds an address. */
export class AddressRanges {
  readonly #list = new BlockList();

  /** @param ranges each as `isAddressRange` accepts it */
  constructor(readonly ranges: readonly string[]) {
    for (const range of ranges) {
      if (!isAddressRange(range)) throw new RangeError(`not an address range: ${range}`);
      const [address = '', prefix] = range.split('/');
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      if (prefix === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(prefix), family);
    }
  }

  /** @param address IPv4 or IPv6; anything else is in no range */
  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }
}
