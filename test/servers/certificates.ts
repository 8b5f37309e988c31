import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from './program.js';

const run = promisify(execFile);
const shortLived = ['-days', '2', '-newkey', 'rsa:2048', '-nodes'];

/** How a certificate differs from a right one. */
interface Differs {
  /** -1 for one that expired yesterday. */
  readonly days?: number;
  readonly names?: string;
  /** The certificate whose authority signs this one, too. */
  readonly beside?: Certificate;
}

/** A certificate for 127.0.0.1 with the authority that signed it, as files. */
export interface Certificate {
  readonly authority: string;
  readonly authorityKey: string;
  readonly certificate: string;
  readonly key: string;
}

/** Makes a new authority and a certificate for 127.0.0.1 in the folder. */
export async function certificateIn(
  folder: string,
  name: string,
  { days = 2, names = 'IP:127.0.0.1', beside }: Differs = {},
): Promise<Certificate> {
  await requireProgram('openssl', 'openssl', 'version');
  const file = (kind: string): string => join(folder, `${name}-${kind}`);
  const { authority, authorityKey } = beside ?? (await authorityIn(file, name));
  const [certificate, key, request] = [file('server.pem'), file('server.key'), file('server.csr')];
  const extensions = file('extensions');
  await writeFile(extensions, `subjectAltName = ${names}\n`);
  await run('openssl', [
    ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=127.0.0.1'],
    ...['-keyout', key, '-out', request],
  ]);
  await run('openssl', [
    ...['x509', '-req', '-in', request, '-CA', authority, '-CAkey', authorityKey],
    ...['-CAcreateserial', '-days', String(days), '-extfile', extensions, '-out', certificate],
  ]);
  return { authority, authorityKey, certificate, key };
}

async function authorityIn(
  file: (kind: string) => string,
  name: string,
): Promise<Pick<Certificate, 'authority' | 'authorityKey'>> {
  const [authority, authorityKey] = [file('ca.pem'), file('ca.key')];
  await run('openssl', [
    ...['req', '-x509', ...shortLived, '-subj', `/CN=authority of ${name}`],
    ...['-keyout', authorityKey, '-out', authority],
  ]);
  return { authority, authorityKey };
}
