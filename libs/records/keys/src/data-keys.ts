import { randomBytes } from 'node:crypto';
import { type Logger, Loop, type Metrics } from '#infra/runtime';
import { type Keyring, type MasterKey, UnopenableCiphertext } from '#shared/signing';
import { type Database } from '#infra/postgres';
import {
  addDataKey,
  dataKeyPeriods,
  listDataKeys,
  noteTokenKeyUse,
  type WrappedDataKey,
} from './data-key-records.js';
import { checkMasterKey } from './service-secrets.js';

/** The label that data keys are wrapped for. The id is the other part that binds a key to its row. */
export const dataKeyLabel = 'data-key';
/** The longest time for which another process's new key stays unknown, and a deleted key stays in use. */
const lookMs = 5000;
const maxBackoffMs = 15_000;
const noteEveryMs = 60_000;

export interface DataKeysOptions {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** True if this process makes callback URLs. The key of a URL must stay for as long as the rail may call it. */
  readonly makesCallbackUrls: boolean;
}

/**
 * Loads the data keys into the ring. It makes the key of this month or the next if the ring can open none of that
 * month. It logs the id of a damaged key; only the rows that this key sealed stay closed.
 * @throws DependencyUnavailable; the ring keeps its keys
 * @throws ForeignMasterKey if the ring cannot open a key of this month or the next because its master key differs
 */
export async function loadDataKeys(
  database: Database,
  keyring: Keyring,
  logger: Logger,
): Promise<void> {
  const { current, next } = await dataKeyPeriods(database);
  const isUsable = (key: WrappedDataKey, period: string) =>
    key.period === period && unwrapped(key, keyring) !== undefined;
  let wrapped = await listDataKeys(database);
  for (const period of new Set([current, next])) {
    if (wrapped.some((key) => isUsable(key, period))) continue;
    // A process with a different master key under the same id finds every data key damaged. It must add none of its
    // own.
    if (wrapped.some((each) => each.period === period && isDamaged(each, keyring)))
      await checkMasterKey(database, keyring);
    const key = newDataKey(keyring, period);
    await addDataKey(database, key, (existing) => isUsable(existing, period));
    wrapped = await listDataKeys(database);
  }
  for (const key of wrapped)
    if (isDamaged(key, keyring)) logger.error({ dataKey: key.id }, 'a data key is damaged');
  const keys = wrapped.map((key) => unwrapped(key, keyring)).filter((key) => key !== undefined);
  const currentId = wrapped.find((key) => isUsable(key, current))?.id;
  if (currentId === undefined) throw new Error('the data key of this month cannot be opened');
  keyring.useDataKeys({ keys, currentId });
}

/**
 * Keeps the ring's data keys equal to those in the records, so that sealing needs no query. The first process that
 * checks makes a month's key two days before the month begins. All others have it long before it is used.
 */
export class DataKeys {
  readonly #options: DataKeysOptions;
  readonly #loop: Loop;
  #notedAt = -Infinity;

  private constructor(options: DataKeysOptions) {
    this.#options = options;
    const { logger, metrics } = options;
    this.#loop = new Loop({
      name: 'data-keys',
      step: () => this.refresh().then(() => 'idle' as const),
      idleMs: lookMs,
      maxBackoffMs,
      logger,
      metrics,
    });
  }

  /** Loads the keys and keeps them up to date until closed. @throws DependencyUnavailable */
  static async open(options: DataKeysOptions): Promise<DataKeys> {
    const keys = new DataKeys(options);
    await keys.refresh();
    keys.#loop.start();
    return keys;
  }

  /** @throws DependencyUnavailable; the ring keeps its keys */
  async refresh(): Promise<void> {
    const { database, keyring, logger, makesCallbackUrls } = this.#options;
    await loadDataKeys(database, keyring, logger);
    if (!makesCallbackUrls || performance.now() - this.#notedAt < noteEveryMs) return;
    await noteTokenKeyUse(database, keyring.currentKeyId);
    this.#notedAt = performance.now();
  }

  close(): Promise<void> {
    return this.#loop.stop();
  }

  /** Nest calls this when the application closes. */
  onModuleDestroy(): Promise<void> {
    return this.close();
  }
}

function newDataKey(keyring: Keyring, period: string): WrappedDataKey {
  const id = `d${period}.${randomBytes(6).toString('hex')}`;
  const ciphertext = keyring.sealBytes(dataKeyLabel, randomBytes(32), id);
  return { id, period, keyId: keyring.currentKeyId, ciphertext };
}

/** Undefined if this ring cannot open the key: it is damaged, or a master key that is being rolled out wrapped it. */
function unwrapped(key: WrappedDataKey, keyring: Keyring): MasterKey | undefined {
  const { id, keyId, ciphertext } = key;
  if (!keyring.hasMasterKey(keyId)) return undefined;
  try {
    return { id, bytes: keyring.openBytes(dataKeyLabel, keyId, ciphertext, id) };
  } catch (error) {
    if (!(error instanceof UnopenableCiphertext)) throw error;
    return undefined;
  }
}

/** True if the ring has the master key that wrapped it but cannot open it. */
function isDamaged(key: WrappedDataKey, keyring: Keyring): boolean {
  return keyring.hasMasterKey(key.keyId) && unwrapped(key, keyring) === undefined;
}
