import { expect, it } from '@jest/globals';
import { refusedCertificate } from './refused-certificate.js';

it.each([
  ['CERT_HAS_EXPIRED', /has expired: install a new one there/],
  ['CERT_NOT_YET_VALID', /not valid yet: correct the clocks/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /names other hosts: write a host that it names/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /not trusted: name the authority’s file in sslrootcert$/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /not trusted/],
])('a certificate that is refused with %s: the reason says what to do', (code, words) => {
  const error = Object.assign(new Error('refused'), { code });
  expect(refusedCertificate(error, 'sslrootcert')).toMatch(words);
});

it.each([new Error('no code'), Object.assign(new Error(), { code: 'ECONNREFUSED' }), undefined, 7])(
  'another error says nothing about a certificate',
  (error) => {
    expect(refusedCertificate(error, 'sslrootcert')).toBeUndefined();
  },
);
