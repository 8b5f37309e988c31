import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isPublicAddress } from './public-addresses.js';

/** Returns the host as the URL parser gives it for the URL that an operator wrote. */
const hostOf = (written: string): string =>
  new URL(`https://${written}/`).hostname.replace(/^\[|\]$/g, '');

describe('an address that webhooks may go to', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4009::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('an address that webhooks never go to', () => {
  it.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.255.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['metadata in it', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['metadata', '169.254.169.254'],
    ['metadata', '168.63.129.16'],
    ['metadata', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.9'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['reserved', '250.1.1.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback, written out', '0:0:0:0:0:0:0:1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped, as hexadecimal', '::ffff:7f00:1'],
    ['mapped private', '::ffff:10.0.0.1'],
    ['compatible', '::127.0.0.1'],
    ['NAT64 of metadata', '64:ff9b::169.254.169.254'],
    ['NAT64 of a private address', '64:ff9b::a00:1'],
    ['NAT64 of this network', '64:ff9b::1'],
    ['NAT64 of the unspecified address', '64:ff9b::'],
    ['local NAT64', '64:ff9b:1::808:808'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['6to4', '2002:808:808::1'],
    ['Teredo', '2001:0:1::1'],
    ['benchmarking', '2001:2::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['unique local', 'fc00::1'],
    ['metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local of a zone', 'fe80::1%eth0'],
    ['a zone', '2606:4700::1%1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discard', '100::1'],
    ['a name', 'localhost'],
    ['nothing', ''],
  ])('%s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '127。0。0。1',
  ])('loopback, written as %s', (written) => {
    expect(isPublicAddress(hostOf(written))).toBe(false);
  });

  it('is the same in each IPv6 form that reaches it', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const expected = isPublicAddress(address);
        expect(isPublicAddress(`::ffff:${address}`)).toBe(expected);
        expect(isPublicAddress(`64:ff9b::${address}`)).toBe(expected);
        expect(isPublicAddress(`::${address}`)).toBe(false);
      }),
    );
  });
});
