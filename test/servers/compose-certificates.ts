import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from './program.js';

/** The certificate of a server of docker-compose.yml, as files. */
export interface ComposeCertificate {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Runs docker/certificates.sh as the service `certificates` does.
 * @param home the folder in which each server has one of its own
 * @returns its output
 */
export async function makeCertificates(
  home: string,
  baseUrl: string,
  ...words: readonly string[]
): Promise<string> {
  await requireProgram('openssl', 'openssl', 'version');
  const { stdout, stderr } = await promisify(execFile)('sh', ['docker/certificates.sh', ...words], {
    env: { ...process.env, TLS_HOME: home, BASE_URL: baseUrl },
  });
  return stdout + stderr;
}

export function composeCertificate(home: string, server: string): ComposeCertificate {
  return {
    authority: join(home, 'authority/ca.crt'),
    certificate: join(home, server, 'server.crt'),
    key: join(home, server, 'server.key'),
  };
}
