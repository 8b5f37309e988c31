import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseServerUrl, type MasterKey, parseMasterKeys, type Settings } from '#infra/runtime';
import { Refused } from './refused.js';

/** The servers that a command works on. */
export interface CliServers {
  readonly eventstoreUrl: string;
  /** The server itself, not a pooler in front: some commands lock, and fill temporary tables. */
  readonly databaseUrl: string;
  /** Undefined if neither the settings nor run.json name one. */
  readonly redisUrl: string | undefined;
  readonly masterKeys: readonly MasterKey[];
  /** AUDIT_SEAL_KEY in PEM; undefined if there is none. */
  readonly sealKey: string | undefined;
  /** WEBHOOK_ALLOW_PRIVATE, which `npm start` sets for itself. */
  readonly webhookAllowPrivate: boolean;
}

/** The settings' servers, or else those that `npm start` noted in DATA_DIR/run.json. */
export async function serversOf(settings: Settings): Promise<CliServers> {
  const { eventstoreUrl, redisUrl, dataDir, masterKeys = [], webhookAllowPrivate } = settings;
  const { auditSealKey: sealKey } = settings;
  const databaseUrl = databaseServerUrl(settings);
  if (eventstoreUrl !== undefined && databaseUrl !== undefined)
    return {
      eventstoreUrl,
      databaseUrl,
      redisUrl,
      masterKeys,
      sealKey,
      webhookAllowPrivate: webhookAllowPrivate ?? false,
    };
  const run = await readRunFile(join(dataDir, 'run.json'));
  return {
    eventstoreUrl: eventstoreUrl ?? run.eventstore_url,
    databaseUrl: databaseUrl ?? run.database_url,
    redisUrl: redisUrl ?? run.redis_url,
    masterKeys: masterKeys.length > 0 ? masterKeys : await readMasterKeys(join(dataDir, keyFile)),
    sealKey: sealKey ?? (await readFile(join(dataDir, sealKeyFile), 'utf8').catch(() => undefined)),
    webhookAllowPrivate: webhookAllowPrivate ?? run.webhook_allow_private ?? false,
  };
}

/** The file in which `npm start` keeps the key that it made. */
const keyFile = 'master.key';
const sealKeyFile = 'audit-seal-key.pem';

async function readMasterKeys(path: string): Promise<readonly MasterKey[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const keys = parseMasterKeys(text.trim());
  if ('problem' in keys)
    throw new Refused([`no MASTER_KEY: ${path} holds none. Set the one that npm start was given`]);
  return keys;
}

async function readRunFile(path: string): Promise<{
  readonly eventstore_url: string;
  readonly database_url: string;
  readonly redis_url?: string;
  readonly webhook_allow_private?: boolean;
}> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as never;
  } catch {
    throw new Refused([
      `no servers: ${path} cannot be read. Run npm start first, or set EVENTSTORE_URL and DATABASE_URL`,
    ]);
  }
}
