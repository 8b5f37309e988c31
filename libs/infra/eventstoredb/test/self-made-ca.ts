import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** PEM texts: an authority of our own, and a server's certificate for 127.0.0.1 and localhost under it. */
export interface SelfMadeCa {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Encodes X.509 by hand, since Node has no encoder and not every machine has openssl. */
export function makeCa(): SelfMadeCa {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = name('PesaPost test authority');
  const isAuthority = extension([0x55, 0x1d, 0x13], sequence(der(0x01, [0xff])));
  const addresses = extension(
    [0x55, 0x1d, 0x11],
    sequence(der(0x82, Buffer.from('localhost')), der(0x87, [127, 0, 0, 1])),
  );
  const sign = (subject: Buffer, key: KeyObject, extensions: Buffer) =>
    certificateOf({ issuer, subject, key, extensions, signedBy: authority.privateKey });
  return {
    ca: sign(issuer, authority.publicKey, isAuthority),
    certificate: sign(name('localhost'), server.publicKey, addresses),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

interface Certificate {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly key: KeyObject;
  readonly extensions: Buffer;
  readonly signedBy: KeyObject;
}

/** RFC 5280 §4.1, signed with ECDSA and SHA-256, valid from yesterday to tomorrow. */
function certificateOf({ issuer, subject, key, extensions, signedBy }: Certificate): string {
  const day = 86_400_000;
  const algorithm = sequence(der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    issuer,
    sequence(utcTime(Date.now() - day), utcTime(Date.now() + day)),
    subject,
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extensions)),
  );
  const signature = createSign('SHA256').update(toBeSigned).sign(signedBy);
  const bits = Buffer.concat([Buffer.from([0]), signature]);
  const base64 = sequence(toBeSigned, algorithm, der(0x03, bits)).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join('\n') ?? ''}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, content: Buffer | readonly number[]): Buffer {
  const bytes = Buffer.from(content);
  const size = bytes.length;
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts));

function name(commonName: string): Buffer {
  const attribute = sequence(der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from(commonName)));
  return sequence(der(0x31, attribute));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function extension(oid: readonly number[], value: Buffer): Buffer {
  return sequence(der(0x06, oid), der(0x04, value));
}
