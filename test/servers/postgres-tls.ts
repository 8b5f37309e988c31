import { chown, cp, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asked, clusterOf } from '../faults/postgres-backup.js';

/**
 * Lets a running Postgres serve TLS.
 * @param hba replaces the rules of who may connect, if given
 */
export async function serveTls(
  databaseUrl: string,
  { certificate, key }: { readonly certificate: string; readonly key: string },
  hba?: string,
): Promise<void> {
  await asked(databaseUrl, async (client) => {
    const cluster = await clusterOf(client);
    const { uid, gid } = await stat(cluster);
    for (const [file, name] of [
      [certificate, 'server.crt'],
      [key, 'server.key'],
    ] as const) {
      await cp(file, join(cluster, name));
      // Postgres reads its key only if the key is its user's own.
      await chown(join(cluster, name), uid, gid);
    }
    if (hba !== undefined) await writeFile(join(cluster, 'pg_hba.conf'), hba);
    await client.query('alter system set ssl = on');
    await client.query('select pg_reload_conf()');
  });
}
