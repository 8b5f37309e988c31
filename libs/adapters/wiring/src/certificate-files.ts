import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Servers } from '#infra/runtime';

/** A file of certificates that a store's URL names. */
interface CertificateFile {
  readonly of: 'event_store' | 'postgres';
  readonly file: string;
}

/** Options of URLs that name such a file: an authority's, or our own. */
const options: ReadonlySet<string> = new Set([
  'tlscafile',
  'usercertfile',
  'sslrootcert',
  'sslcert',
]);

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The files of certificates in the URLs of the stores. */
export function certificateFiles({
  eventstoreUrl,
  databaseUrl,
}: Pick<Servers, 'eventstoreUrl' | 'databaseUrl'>): readonly CertificateFile[] {
  return [
    ...filesIn(eventstoreUrl).map((file) => ({ of: 'event_store', file }) as const),
    ...filesIn(databaseUrl).map((file) => ({ of: 'postgres', file }) as const),
  ];
}

function filesIn(url: string): readonly string[] {
  const [, query = ''] = url.split('?', 2);
  return [...new URLSearchParams(query)]
    .filter(([name]) => options.has(name.toLowerCase().replace(/[_-]/g, '')))
    .map(([, file]) => file);
}

/**
 * The time at which the first certificate of a file ends, in milliseconds of the Unix epoch.
 * @returns undefined if the file cannot be read or has no certificate: the process that needs it reports that
 */
export async function certificateEndMs(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const ends = [...text.matchAll(pem)].flatMap(([certificate]) => {
    try {
      return [Date.parse(new X509Certificate(certificate).validTo)];
    } catch {
      return [];
    }
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}
