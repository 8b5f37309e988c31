/** A range of addresses by its family, first and last address. */
interface Network {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * True if each range lies within one of the others. False for an invalid range or one that only several ranges together
 * cover; then the change needs two admins.
 * @param ranges IPv4 and IPv6 addresses and CIDR ranges, as the edge has validated them
 */
export function areWithin(ranges: readonly string[], others: readonly string[]): boolean {
  const known = others.flatMap((range) => networkOf(range) ?? []);
  return ranges.every((range) => {
    const network = networkOf(range);
    return (
      network !== undefined &&
      known.some(
        ({ family, first, last }) =>
          family === network.family && first <= network.first && network.last <= last,
      )
    );
  });
}

function networkOf(range: string): Network | undefined {
  const [address = '', prefix] = range.split('/');
  const family = address.includes(':') ? 6 : 4;
  const bits = family === 4 ? 32 : 128;
  const value = family === 4 ? ipv4Of(address) : ipv6Of(address);
  if (value === undefined) return undefined;
  const fixed = prefix === undefined ? bits : parseInt(prefix, 10);
  if (!(fixed >= 0 && fixed <= bits)) return undefined;
  const size = 1n << BigInt(bits - fixed);
  const first = (value / size) * size;
  return { family, first, last: first + size - 1n };
}

function ipv4Of(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part))) return undefined;
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

function ipv6Of(text: string): bigint | undefined {
  if (text.includes('.')) return undefined;
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const groups = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const missing = 8 - front.length - back.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...front, ...Array.from({ length: missing }, () => '0'), ...back];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}
