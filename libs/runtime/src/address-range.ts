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
