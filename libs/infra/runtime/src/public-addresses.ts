import { isIP, isIPv4 } from 'node:net';
import { AddressRanges } from './address-range.js';

/** Addresses outside the public internet, by IANA's registry of special purposes (WEB-12). */
const specialIpv4 = new AddressRanges([
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and metadata of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16', // metadata of Azure, inside its public range
  '169.254.0.0/16', // link-local, and metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
]);

/** All routed IPv6 addresses are in this range, except those that follow. */
const globalIpv6 = new AddressRanges(['2000::/3']);
const specialIpv6 = new AddressRanges([
  '2001::/23', // protocol assignments, Teredo and benchmarking among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: an IPv4 address for which we would have to trust a relay
  '3fff::/20', // documentation
]);

/**
 * IPv6 forms whose last 32 bits are the IPv4 address that is reached: mapped, and of NAT64 (RFC 6052). The canonical
 * text omits the first 16 of them if they are zeros.
 */
const embedding = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/;

/** True if the address belongs to the public internet, in whatever form it is written (WEB-12). */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.has(address);
  // A zone names a link of this machine.
  if (isIP(address) !== 6 || address.includes('%')) return false;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const embedded = embeddedIpv4(canonical);
  if (embedded !== undefined) return !specialIpv4.has(embedded);
  return globalIpv6.has(canonical) && !specialIpv6.has(canonical);
}

function embeddedIpv4(canonical: string): string | undefined {
  const [, high = '0', low] = embedding.exec(canonical) ?? [];
  if (low === undefined) return undefined;
  const bits = (parseInt(high, 16) << 16) | parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}
