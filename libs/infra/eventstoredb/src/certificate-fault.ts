import { type EventStoreUrl, isOfUnknownAuthority } from '#infra/runtime';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';

/** The time for a look at one host. */
const lookMs = 3_000;
/** A certificate may name a hundred hosts. */
const maxText = 200;

/** A host's certificate that the client refuses, by the code of OpenSSL or Node. */
export interface RefusedCertificate {
  readonly host: string;
  readonly port: number;
  readonly code: string;
  /** Undefined if the host does not speak TLS. */
  readonly certificate: PeerCertificate | undefined;
}

/**
 * Looks at each host of EVENTSTORE_URL as the client does. The client itself reports an unreachable store only, and
 * nothing about the reason.
 * @returns one line that says what is wrong and what to do; undefined if every host that answers is right
 */
export async function certificateFault(url: EventStoreUrl): Promise<string | undefined> {
  if (!url.usesTls) return undefined;
  const { authorityFile } = url;
  const authority =
    authorityFile === undefined ? undefined : await readFile(authorityFile).catch(() => undefined);
  for (const [index, host] of url.hosts.entries()) {
    const refused = await lookAt({ host, port: url.ports[index] ?? 0 }, authority);
    if (refused) return faultOf(refused, authorityFile);
  }
  return undefined;
}

async function lookAt(
  { host, port }: { readonly host: string; readonly port: number },
  authority: Buffer | undefined,
): Promise<RefusedCertificate | undefined> {
  const socket = connect({
    host,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    ...(authority && { ca: authority }),
    ALPNProtocols: ['h2'],
    // Its refusal is what is looked for, and nothing is sent.
    rejectUnauthorized: false,
  });
  socket.on('error', () => undefined);
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(lookMs) });
    if (socket.authorized) return undefined;
    // Node's types say Error, but it is the error's code.
    const code = String(socket.authorizationError);
    return { host, port, code, certificate: socket.getPeerCertificate() };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return /^(EPROTO|ERR_SSL_.*)$/.test(code)
      ? { host, port, code, certificate: undefined }
      : undefined;
  } finally {
    socket.destroy();
  }
}

/** @param authorityFile the file of `tlsCAFile`, if there is one */
export function faultOf(
  { host, port, code, certificate }: RefusedCertificate,
  authorityFile?: string,
): string {
  const address = `${host}:${port}`;
  if (!certificate)
    return `EVENTSTORE_URL: ${address} does not speak TLS as this process does (${code}): give the event store a certificate, or correct the port`;
  const about = `EVENTSTORE_URL: the certificate of ${address}`;
  if (code === 'CERT_HAS_EXPIRED')
    return `${about}, or of its authority, has expired (its own end: ${plain(certificate.valid_to)}): install a new one there, or correct the clock of this machine`;
  if (code === 'CERT_NOT_YET_VALID')
    return `${about} is valid only from ${plain(certificate.valid_from)}: correct the clocks of both machines`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${about} names ${plain(certificate.subjectaltname ?? 'no host')}, not ${host}: write a host that it names, or install one that names ${host}`;
  if (isOfUnknownAuthority(code))
    return `${about} was issued by "${issuerOf(certificate)}", which ${authorityFile === undefined ? 'this machine does not trust: name the file of its authority with tlsCAFile' : `is not in ${authorityFile} (tlsCAFile): put the certificate of its authority there`}`;
  return `${about} is refused (${code}): install one that is right`;
}

function issuerOf({ issuer }: PeerCertificate): string {
  // Node's types promise a name that a certificate need not have.
  const { CN, O } = issuer as { readonly CN?: string | string[]; readonly O?: string | string[] };
  return plain(String(CN ?? O ?? 'an authority without a name'));
}

/** The other side wrote it: one line of printable characters, and not a long one. */
function plain(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]+/g, ' ');
  return printable.length > maxText ? `${printable.slice(0, maxText)}…` : printable;
}
