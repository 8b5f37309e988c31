import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from './program.js';

const run = promisify(execFile);
const shortLived = ['-days', '2', '-newkey', 'rsa:2048', '-nodes'];

/** A certificate for 127.0.0.1 with the authority that signed it, as files. */
export interface Certificate {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Makes a new authority and a certificate for 127.0.0.1 in the folder. */
export async function certificateIn(folder: string, name: string): Promise<Certificate> {
  await requireProgram('openssl', 'openssl', 'version');
  const file = (kind: string): string => join(folder, `${name}-${kind}`);
  const [authority, authorityKey] = [file('ca.pem'), file('ca.key')];
  const [certificate, key, request] = [file('server.pem'), file('server.key'), file('server.csr')];
  const extensions = file('extensions');
  await writeFile(extensions, 'subjectAltName = IP:127.0.0.1\n');
  await run('openssl', [
    ...['req', '-x509', ...shortLived, '-subj', `/CN=authority of ${name}`],
    ...['-keyout', authorityKey, '-out', authority],
  ]);
  await run('openssl', [
    ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=127.0.0.1'],
    ...['-keyout', key, '-out', request],
  ]);
  await run('openssl', [
    ...['x509', '-req', '-in', request, '-CA', authority, '-CAkey', authorityKey],
    ...['-CAcreateserial', '-days', '2', '-extfile', extensions, '-out', certificate],
  ]);
  return { authority, certificate, key };
}
