import { messagesKeptSince } from '#adapters/audit';
import { type Database } from '#infra/postgres';
import { databaseNow } from '#views/view-set';
import { settingsOrRefused } from './settings.js';

/** Returns the present time by the clock that seals days (AUD-17), and the time since which all messages are present. */
export async function keptMessages(
  database: Database,
): Promise<{ readonly nowMs: number; readonly keptSinceMs: number }> {
  const nowMs = (await databaseNow(database)).getTime();
  const retentionMs = settingsOrRefused().evidenceRetentionMs;
  return { nowMs, keptSinceMs: await messagesKeptSince(database, { nowMs, retentionMs }) };
}
