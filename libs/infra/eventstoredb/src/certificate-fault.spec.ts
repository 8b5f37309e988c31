import { describe, expect, it } from '@jest/globals';
import { type PeerCertificate } from 'node:tls';
import { faultOf } from './certificate-fault.js';

const certificate = {
  issuer: { CN: 'Some authority' },
  valid_from: 'Nov 27 12:00:00 2026 GMT',
  valid_to: 'Nov 28 12:00:00 2026 GMT',
  subjectaltname: 'DNS:node2, DNS:node3',
} as unknown as PeerCertificate;

const refused = (code: string) => ({ host: 'node1', port: 2113, code, certificate });

describe('a certificate of the event store that is refused', () => {
  it.each([
    ['CERT_HAS_EXPIRED', /of node1:2113, .*expired \(its own end: Nov 28 .*install a new one/],
    ['CERT_NOT_YET_VALID', /valid only from Nov 27 .*: correct the clocks/],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      /names DNS:node2, DNS:node3, not node1: write a host that it names, or install/,
    ],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /"Some authority".* name the file .* with tlsCAFile/],
    ['CERT_REVOKED', /is refused \(CERT_REVOKED\)/],
  ])('says in one line what is wrong and what to do: %s', (code, line) => {
    const said = faultOf(refused(code));
    expect(said).toMatch(line);
    expect(said).toMatch(/^EVENTSTORE_URL: [^\n]+$/);
  });

  it('names the file in which its authority is missing', () => {
    const said = faultOf(refused('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), '/authority/ca.crt');
    expect(said).toContain('is not in /authority/ca.crt (tlsCAFile)');
  });

  it('names a server without TLS', () => {
    expect(faultOf({ ...refused('EPROTO'), certificate: undefined })).toMatch(
      /node1:2113 does not speak TLS/,
    );
  });

  it('writes no other line and no long text of the other side', () => {
    const subjectaltname = `DNS:a\n{"level":"fatal"}${', DNS:b'.repeat(200)}`;
    const said = faultOf({
      ...refused('ERR_TLS_CERT_ALTNAME_INVALID'),
      certificate: { ...certificate, subjectaltname },
    });
    expect(said).not.toContain('\n');
    expect(said.length).toBeLessThan(500);
  });
});
