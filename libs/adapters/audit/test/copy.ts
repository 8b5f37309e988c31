import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  auditStream,
  type DayHead,
  decideSealDay,
  HeadSigner,
  headOf,
  type SealDay,
} from '#domain/audit';
import { type EventMetadata, type Position, type RecordedEvent } from '#domain/event-sourcing';
import { instantFromMs, ok, type Result } from '#domain/kernel';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import {
  Keyring,
  parsePublicKey,
  parseSealKey,
  newOwnKey,
  sealEvidence,
  sealMessage,
  sha256,
  sha256Hex,
  signHead,
  signV4,
  stringToSign,
} from '#shared/signing';
import {
  accept,
  CopiedLog,
  decline,
  decodedRecord,
  HandMadeLog,
  intend,
  pay,
  rsaKeys,
  suspend,
} from '#testing';
import { entriesOf, type LastLinks, type LedgerEntry, sectionOf, withLinks } from '#views/balances';
import { checkHistory, type CheckOptions, type CheckReport } from '../src/check.js';
import {
  type BalanceRow,
  type EntryRow,
  LedgerRows,
  type LedgerStanding,
} from '../src/ledger-rows.js';
import { sectionDigest, type SectionRow, type SectionSums } from '../src/ledger-sections.js';
import { type MessageRow, MessageRows } from '../src/messages.js';
import { firstEventIn, leafOf } from '../src/places.js';
import { readHeads, Sealer } from '../src/sealer.js';
import {
  type AuditState,
  type Tile,
  type TileKey,
  TileStore,
  type TreeName,
  TreesMoved,
} from '../src/tiles.js';

export type CopiedTile = { -readonly [Member in keyof Tile]: Tile[Member] };

/** Tiles in memory. */
export class CopiedTiles extends TileStore {
  tiles: CopiedTile[] = [];
  now: AuditState = { position: 0n, postings: 0, events: 0 };

  override state(): Promise<AuditState> {
    return Promise.resolve(this.now);
  }
  override tile({ tree, level, tile }: TileKey): Promise<Tile | undefined> {
    return Promise.resolve(
      this.tiles.find((of) => of.tree === tree && of.level === level && of.tile === tile),
    );
  }
  override leavesAt(tree: TreeName, position: Position): Promise<Tile | undefined> {
    const before = this.tiles.filter(
      (of) => of.tree === tree && of.firstPosition !== null && of.firstPosition <= position,
    );
    return Promise.resolve(before.at(-1));
  }
  override write(from: AuditState, to: AuditState, tiles: readonly Tile[]): Promise<void> {
    if (from.events !== this.now.events) return Promise.reject(new TreesMoved('moved'));
    this.now = to;
    for (const { ...tile } of tiles) {
      const at = this.tiles.findIndex(
        (of) => of.tree === tile.tree && of.level === tile.level && of.tile === tile.tile,
      );
      if (at === -1) this.tiles.push(tile);
      else this.tiles[at] = tile;
    }
    return Promise.resolve();
  }
}

/** The views of the ledger in memory. */
export class CopiedLedger extends LedgerRows {
  rows: { -readonly [Member in keyof EntryRow]: EntryRow[Member] }[] = [];
  balances: { -readonly [Member in keyof BalanceRow]: BalanceRow[Member] }[] = [];
  sections: { -readonly [Member in keyof SectionRow]: SectionRow[Member] }[] = [];
  position = 0n;

  override standing(): Promise<LedgerStanding> {
    const { position, balances, sections } = this;
    return Promise.resolve({ position, balances, sections });
  }
  override async *entries(upTo: bigint): AsyncGenerator<EntryRow, void, void> {
    for (const row of this.rows) if (BigInt(row.position) <= upTo) yield await Promise.resolve(row);
  }
  override async *beyond(): AsyncGenerator<EntryRow, void, void> {
    for (const row of this.rows)
      if (BigInt(row.position) > this.position) yield await Promise.resolve(row);
  }
}

/** The sealed bytes in memory. */
export class CopiedMessages extends MessageRows {
  rows: { -readonly [Member in keyof MessageRow]: MessageRow[Member] }[] = [];

  override find(ids: readonly string[]): Promise<readonly MessageRow[]> {
    return Promise.resolve(this.rows.filter(({ id }) => ids.includes(id)));
  }
}

/** A complete sealed history in memory, with everything derived from it. */
export class Copy {
  readonly log = new CopiedLog();
  readonly tiles = new CopiedTiles();
  readonly ledger = new CopiedLedger();
  readonly messages = new CopiedMessages();
  readonly keyring = Keyring.from([{ id: 'k1', bytes: randomBytes(32) }]);
  /** Signs the next heads. */
  signer: HeadSigner = newSigner();
  private ids = 0;

  /** @param days the number of days with paid collections; no day is sealed yet */
  static async of(days: number, collectionsADay: number): Promise<Copy> {
    const copy = new Copy();
    const made = new HandMadeLog(Date.parse('2026-11-01T06:00:00Z'));
    const merchant = copy.#merchants(made);
    for (let day = 0; day < days; day += 1) {
      for (let n = 0; n < collectionsADay; n += 1) collect(made, `D${day}-${n}`, n);
      made.wait(dayMs);
    }
    // Spread the events, so that a section of the log has only a few.
    for (const event of made.events)
      copy.log.add({ ...copy.#withEvidence(event, merchant), position: event.position << 14n });
    await copy.project();
    return copy;
  }

  sealer(timezone = 'Africa/Nairobi'): Sealer {
    return new Sealer({
      log: this.log,
      store: this.log,
      tiles: this.tiles,
      timezone,
      marginMs: 300_000,
      ids: { next: () => `correlation-${(this.ids += 1)}` },
      execute: (command) => this.#seal(command),
      nowMs: () => Promise.resolve(this.#nowMs),
    });
  }

  /**
   * Seals all days that are over at an instant, by default long after the last event.
   * @param recordedMs the time at which the heads are recorded, if it differs from the sealing clock
   */
  async seal(
    now = (this.log.records.at(-1)?.createdMs ?? 0) + 2 * dayMs,
    recordedMs = now,
  ): Promise<readonly DayHead[]> {
    this.#nowMs = now;
    this.#recordedMs = recordedMs;
    return this.sealer().run();
  }

  /** Builds the ledger's views from the whole log. */
  async project(): Promise<void> {
    const entries: LedgerEntry[] = [];
    for (const record of this.log.records) {
      const event = decodedRecord(record);
      const leaf = await leafOf(event, firstEventIn(this.log));
      if (leaf) entries.push(...entriesOf(event, leaf.posting));
    }
    const last: LastLinks = new Map();
    const plain = (bytes: string | null) => bytes?.slice(2) ?? null;
    this.ledger.rows = withLinks(entries, last).map((entry) => ({
      position: String(entry.position),
      leg: String(entry.leg),
      event_id: entry.event_id,
      stream: entry.stream,
      mode: entry.mode,
      currency: entry.currency,
      account: entry.account,
      amount_minor: String(entry.amount_minor),
      recorded_at: entry.recorded_at,
      leaf: plain(entry.leaf),
      link: plain(entry.link),
    }));
    this.ledger.balances = [...last].map(([key, link]) => {
      const [mode = '', currency = '', account = ''] = key.split(/:(.+?):(.+)/);
      const of = entries.filter((entry) => entry.mode === mode && entry.account === account);
      const sum = (sign: bigint) =>
        of.reduce((all, { amount_minor: a }) => (a * sign > 0n ? all + a * sign : all), 0n);
      return {
        mode,
        currency,
        account,
        link: Buffer.from(link).toString('hex'),
        credits_minor: String(sum(1n)),
        debits_minor: String(sum(-1n)),
      };
    });
    this.ledger.sections = sectionsOf(entries);
    this.ledger.position = this.log.records.at(-1)?.position ?? 0n;
  }

  /** True if a key may sign again after another key replaced it. */
  mayReturn = false;
  #nowMs = 0;
  #recordedMs = 0;

  async #seal({ day, metadata }: SealDay): Promise<Result<DayHead | undefined, string>> {
    const heads = await readHeads(this.log);
    const last = heads.at(-1)?.head;
    const keyIds = this.mayReturn ? [] : [...new Set(heads.map(({ head }) => head.keyId))];
    const decided = decideSealDay(day, { last, keyIds }, this.signer);
    if (!decided.ok) return decided;
    const [event] = decided.value;
    if (!event) throw new Error('nothing was decided');
    const position = (await this.log.head()) + 137n;
    this.log.add({
      ...event,
      metadata: { ...metadata, v: 1 },
      id: uuid(),
      stream: auditStream,
      revision: BigInt(heads.length),
      position,
      recordedAt: instantFromMs(this.#recordedMs),
    });
    return ok(headOf(event.data, last));
  }

  #merchants(log: HandMadeLog) {
    const keys = rsaKeys();
    for (const merchantId of ['m-1', 'm-2'] as const)
      log.append<MerchantEvent>(
        merchantStream(merchantId),
        {
          type: 'MerchantRegistered',
          data: { merchantId, name: 'Duka „é“', timezone: 'Africa/Nairobi', country: 'KE' },
        },
        {
          type: 'CredentialIssued',
          data: {
            credentialId: `c-${merchantId}`,
            kind: 'v4',
            mode: 'demo',
            holder: 'asha',
            clientId: `client-${merchantId}`,
            publicKeyPem: keys.publicKeyPem,
            ipRanges: ['127.0.0.1'],
          },
        },
      );
    return keys;
  }

  /** Seals evidence under the key of its message, and stores the message's row. */
  #sealed(stream: string, bytes: Buffer, evidence: object) {
    const own = { messageId: uuid(), ownKey: newOwnKey() };
    const kind = 'method' in evidence ? 'request' : 'callback';
    this.messages.rows.push({
      id: own.messageId,
      ownKey: own.ownKey,
      kind,
      stream,
      isErased: false,
      ...sealMessage(this.keyring, own, bytes),
    });
    return sealEvidence(this.keyring, evidence, own);
  }

  /** Checks everything. Messages of events before `keptSinceMs` may be deleted. */
  check(maxNamed = 10, keptSinceMs = 0, how: Partial<CheckOptions> = {}): Promise<CheckReport> {
    const { log, tiles, ledger, keyring, messages } = this;
    const evidence = { keyring, messages, keptSinceMs };
    const days = { timezone: 'Africa/Nairobi', nowMs: this.#nowMs, marginMs: 300_000 };
    return checkHistory({ log, store: log, tiles, ledger, evidence, maxNamed, days, ...how });
  }

  readonly #commitments = new Map<string, string>();

  /** Adds the evidence that the edges seal: a signed request for an intent, a rail's message for its report. */
  #withEvidence(
    event: RecordedEvent,
    keys: { readonly privateKeyPem: string; readonly publicKeyPem: string },
  ): RecordedEvent {
    const { type, stream } = event;
    if (type === 'CollectionIntentRecorded') {
      const sealed = this.#sealed(stream, Buffer.from(stream), signedRequest(stream, keys));
      this.#commitments.set(stream, sealed.commitment);
      return { ...event, metadata: { ...event.metadata, ...credential, ...sealed } };
    }
    if (!['RailConfirmed', 'WalletPosted', 'SuspensePosted', 'RailDeclined'].includes(type))
      return event;
    const bytes = Buffer.from(`paid: ${stream}`);
    const report = { sourceAddress: '196.201.214.200', digest: sha256Hex(bytes) };
    const sealed = this.#sealed(stream, bytes, report);
    const metadata: EventMetadata = { ...event.metadata, ...rail, ...sealed };
    if (type !== 'WalletPosted') return { ...event, metadata };
    const requestCommitment = this.#commitments.get(stream) ?? '';
    const data = { ...event.data, requestCommitment, railCommitment: sealed.commitment };
    return { ...event, data, metadata };
  }
}

function sectionsOf(entries: readonly LedgerEntry[]): SectionRow[] {
  return [...Map.groupBy(entries, ({ position }) => sectionOf(position))].map(([section, of]) => {
    const accounts = Map.groupBy(of, ({ mode, currency, account }) =>
      [mode, currency, account].join('\t'),
    );
    const sums = [...accounts].map(([account, legs]): [string, SectionSums] => {
      const sum = (sign: bigint) =>
        legs.reduce((all, { amount_minor: a }) => (a * sign > 0n ? all + a * sign : all), 0n);
      return [account, { credits: sum(1n), debits: sum(-1n), entries: BigInt(legs.length) }];
    });
    return { section: String(section), digest: sectionDigest(new Map(sums)) };
  });
}

const dayMs = 86_400_000;
const credential = { actor: { kind: 'credential', id: 'c-m-1', holder: 'asha' } } as const;
const rail = { actor: { kind: 'rail', id: 'mpesa' } } as const;

/** Declines one of every five collections, and pays one with another amount. */
function collect(log: HandMadeLog, reference: string, n: number): void {
  const stream = intend(log.wait(60_000), reference, n % 3 === 0 ? { merchant: 'm-2' } : {});
  accept(log.wait(300), stream);
  log.wait(5000);
  if (n % 5 === 3) decline(log, stream);
  else if (n % 5 === 4) suspend(log, stream, { under: `S${reference}` });
  else pay(log, stream, { under: `R${reference}` });
}

function signedRequest(
  stream: string,
  {
    privateKeyPem,
    publicKeyPem,
  }: { readonly privateKeyPem: string; readonly publicKeyPem: string },
): object {
  const bodyBytes = Buffer.from(stream);
  const request = {
    method: 'POST',
    rawPath: '/api/v4/collections',
    rawQuery: '',
    nonce: randomBytes(12).toString('base64url'),
    timestamp: '1793500000',
  };
  const signed = stringToSign({ ...request, bodyBytes });
  const key = parsePublicKey(publicKeyPem);
  if (!signed.ok || !key.ok) throw new Error('this request can be signed');
  return {
    method: request.method,
    path: request.rawPath,
    query: '',
    bodyDigest: sha256Hex(bodyBytes),
    nonce: request.nonce,
    timestamp: request.timestamp,
    signature: signV4(createPrivateKey(privateKeyPem), signed.value),
    keyFingerprint: key.value.fingerprint,
  };
}

/** Makes a new key, like the worker's. */
export function newSigner(): HeadSigner {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = parseSealKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  if (!key) throw new Error('this is an Ed25519 key');
  const { keyId, publicKey } = key;
  return { sha256, keyId, publicKey, sign: (text) => signHead(key, text) };
}

function uuid(): string {
  const bytes = randomBytes(16).toString('hex');
  return bytes.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
