import { BlockList, isIP } from 'node:net';

/**
 * True if the text is an IPv4 or IPv6 address, or a CIDR range of either. Zone ids are refused, and ranges that begin
 * among the IPv4-mapped addresses and contain others: they belong to no single family.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  if (prefix === undefined) return true;
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bitsOf(family === 4 ? 4 : 6))
    return false;
  return Number(prefix) >= mappedBits || family === 4 || !mapped.test(canonicalIpv6(address));
}

/** The complaint about a text that is not a range. */
export const notARange =
  'is no IPv4 or IPv6 address or CIDR range (one of IPv4-mapped addresses is of /96 or longer)';

/**
 * The stored form: a range of IPv4-mapped addresses becomes the IPv4 range (AUTH-26). @param range as `isAddressRange`
 * accepts it
 */
export function plainRange(range: string): string {
  const { family, address, prefix } = partsOf(range);
  if (family === 6 || isIP(range.split('/')[0] ?? '') === 4) return range;
  return range.includes('/') ? `${address}/${prefix}` : address;
}

/** True if the ranges together contain every IPv4 or every IPv6 address. @param ranges each as `isAddressRange` accepts it */
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

type Family = 4 | 6;

function bitsOf(family: Family): number {
  return family === 4 ? 32 : 128;
}

/** IPv4-mapped IPv6, in the only spelling that the URL parser gives. */
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const mappedBits = 96;

/** The parts of a range. A range of IPv4-mapped addresses, in any spelling, is the IPv4 range (AUTH-26). */
function partsOf(range: string): {
  readonly family: Family;
  readonly address: string;
  readonly prefix: number;
} {
  const [address = '', bits] = range.split('/');
  const family = isIP(address) === 4 ? 4 : 6;
  const prefix = bits === undefined ? bitsOf(family) : Number(bits);
  const [, high, low] = (family === 6 && mapped.exec(canonicalIpv6(address))) || [];
  if (high === undefined || low === undefined || prefix < mappedBits)
    return { family, address, prefix };
  const pairs = [high, low].map((group) => parseInt(group, 16));
  const plain = pairs.flatMap((pair) => [pair >> 8, pair & 255]).join('.');
  return { family: 4, address: plain, prefix: prefix - mappedBits };
}

/** The URL parser writes an embedded IPv4 address as hexadecimal. */
function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function boundsOf(range: string): {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
} {
  const { family, address, prefix } = partsOf(range);
  const hostBits = BigInt(bitsOf(family) - prefix);
  const first = (numberOf(address, family) >> hostBits) << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n };
}

function numberOf(address: string, family: Family): bigint {
  if (family === 4)
    return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
  const [head = '', tail] = canonicalIpv6(address).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const zeros = Array.from({ length: tail === undefined ? 0 : missing }, () => '0');
  return [...groups(head), ...zeros, ...groups(tail)].reduce(
    (value, group) => (value << 16n) | BigInt(`0x${group}`),
    0n,
  );
}

/** Addresses and CIDR ranges as one set that checks if it contains an address. */
export class AddressRanges {
  /** Separate lists: in one list, a wide range of IPv6 would contain all of IPv4 as well. */
  readonly #ipv4 = new BlockList();
  readonly #ipv6 = new BlockList();

  /** @param ranges each as `isAddressRange` accepts it */
  constructor(readonly ranges: readonly string[]) {
    for (const range of ranges) {
      if (!isAddressRange(range)) throw new RangeError(`not an address range: ${range}`);
      const { family, address, prefix } = partsOf(range);
      if (family === 4) this.#ipv4.addSubnet(address, prefix, 'ipv4');
      else this.#ipv6.addSubnet(address, prefix, 'ipv6');
    }
  }

  /** @param address IPv4 or IPv6; anything else is in no range */
  has(address: string): boolean {
    const family = isIP(address);
    if (family === 4) return this.#ipv4.check(address, 'ipv4');
    // A mapped address belongs to IPv4.
    return family === 6 && (this.#ipv4.check(address, 'ipv6') || this.#ipv6.check(address, 'ipv6'));
  }
}
