import { readFileSync, statSync } from 'node:fs';

/** Settings that may be read from a file if `<name>_FILE` names one: the URLs may contain passwords (OPS-24). */
export const secretNames: readonly string[] = [
  'EVENTSTORE_URL',
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'DATABASE_DIRECT_URL',
  'REDIS_URL',
  'MASTER_KEY',
  'AUDIT_SEAL_KEY',
  'OIDC_CLIENT_SECRET',
  'NOTIFY_URL',
  'SMTP_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  ...['DEMO', 'LIVE'].flatMap((mode) => [
    ...['PASSKEY', 'CONSUMER_KEY', 'CONSUMER_SECRET', 'SECURITY_CREDENTIAL'].map(
      (name) => `RAIL_MPESA_${mode}_${name}`,
    ),
    ...['CLIENT_SECRET', 'ENCRYPTED_PIN'].map((name) => `RAIL_AIRTEL_${mode}_${name}`),
  ]),
];

/** More than any secret has, so that a wrong path is not read to its end. */
const maxBytes = 64 * 1024;

/**
 * The settings that are not empty. For each secret with a file, the file's text without the final newline that editors
 * add.
 * @param problems gains a line for each file that cannot be read or is empty, and for a secret that is also set
 *   directly; never the secret
 */
export function givenSettings(
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Record<string, string> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  ) as Record<string, string>;
  for (const name of secretNames) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      problems.push(`${name}_FILE: ${name} is set as well; set one of the two`);
      continue;
    }
    const read = readSecret(path);
    if ('problem' in read) problems.push(`${name}_FILE: ${read.problem}`);
    else given[name] = read.text;
  }
  return given;
}

function readSecret(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    const { size } = statSync(path);
    if (size > maxBytes)
      return { problem: `${path} has more than 64 KiB; name the secret’s own file` };
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { problem: `${path} is empty` } : { text };
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return { problem: `${path} cannot be read (${code})` };
  }
}
