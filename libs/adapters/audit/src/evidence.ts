import { answersPush } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import {
  type EvidenceMembers,
  type Keyring,
  minV3KeyBits,
  openMessage,
  parsePublicKey,
  type PublicKey,
  readEvidence,
  type SealedEvidence,
  sha256Hex,
  signatureStanding,
  UnopenableCiphertext,
} from '#shared/signing';
import { type Erasures } from './erasures.js';
import { type MessageRow, type MessageRows } from './messages.js';

/** The outcome of the evidence of all events. */
export interface EvidenceCounts {
  readonly opened: number;
  /** Under keys that are not to be had, as of erased numbers, or of messages that are older than they are kept. */
  readonly sealed: number;
  /** Of merchants, that verify. */
  readonly signatures: number;
  /** Whose bytes hash to what their evidence says. */
  readonly messages: number;
}

/** What a message is kept under, and for how long. */
export interface EvidenceTerms {
  readonly keyring: Keyring;
  readonly messages: MessageRows;
  /** Messages of events that were recorded before may be deleted by now. */
  readonly keptSinceMs: number;
}

/** Messages are deleted while a check runs, and by the database's clock: one that is near its end is not missed. */
const marginMs = 24 * 3_600_000;

/** What a reservation is for is the stream of its source. */
function aboutOf({ stream, data }: RecordedEvent): string {
  return stream.startsWith('reservations-') && 'source' in data ? String(data.source) : stream;
}

/** Whoever writes these events has always given them evidence. */
function needsEvidence({ type, data }: RecordedEvent): boolean {
  if (type === 'CollectionIntentRecorded') return 'origin' in data && data.origin === 'v4';
  return type === 'RailConfirmed' && 'by' in data && data.by === 'callback';
}

/** The commitments, evidence, bytes and signatures of events, each as the keys of its time have it. */
export class EvidenceCheck {
  #opened = 0;
  #sealed = 0;
  #signatures = 0;
  #messages = 0;
  /** Every key that was ever registered, by merchant and fingerprint. */
  readonly #keys = new Map<string, PublicKey>();
  #rows: ReadonlyMap<string, MessageRow> = new Map();

  constructor(
    private readonly terms: EvidenceTerms,
    private readonly erasures: Erasures,
  ) {}

  get counts(): EvidenceCounts {
    return {
      opened: this.#opened,
      sealed: this.#sealed,
      signatures: this.#signatures,
      messages: this.#messages,
    };
  }

  /** Reads the messages of the events that come next. */
  async expect(events: readonly RecordedEvent[]): Promise<void> {
    const ids = events.flatMap(({ metadata: { evidence } }) =>
      isUuid(evidence?.messageId) ? [evidence.messageId] : [],
    );
    const rows = await this.terms.messages.find([...new Set(ids)]);
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * @returns what is wrong with the event's evidence; undefined where nothing is
   * @throws EventStoreUnavailable
   */
  async faultOf(event: RecordedEvent): Promise<string | undefined> {
    this.#learn(event);
    const { evidence, commitment } = event.metadata;
    if (!evidence) return needsEvidence(event) ? 'it carries no evidence' : undefined;
    if (commitment === undefined) return 'its evidence has no commitment';
    const row = this.#rows.get(evidence.messageId ?? '');
    const fault = evidence.messageId === undefined ? undefined : await this.#faultOfRow(event, row);
    if (fault !== undefined) return fault;
    const isLost = evidence.messageId !== undefined && row?.ownKey === undefined;
    if (isLost || !this.terms.keyring.keyIds.includes(evidence.keyId)) {
      this.#sealed += 1;
      return undefined;
    }
    return this.#faultOfOpened(event, { evidence, commitment }, row);
  }

  async #faultOfRow(
    event: RecordedEvent,
    row: MessageRow | undefined,
  ): Promise<string | undefined> {
    if (!row && answersPush(event)) return undefined;
    if (!row)
      return Date.parse(event.recordedAt) > this.terms.keptSinceMs + marginMs
        ? 'the message that it names is not in the records'
        : undefined;
    // The row says of itself that it was erased; who erases says so in history first (EVT-43).
    if (!row.ownKey && !(row.isErased && (await this.erasures.cover(aboutOf(event)))))
      return 'the key of its message is gone, though nobody erased it';
    if (row.stream !== aboutOf(event)) return 'the message that it names is of another stream';
    return undefined;
  }

  #faultOfOpened(
    event: RecordedEvent,
    sealed: SealedEvidence,
    row: MessageRow | undefined,
  ): string | undefined {
    try {
      const members = readEvidence(this.terms.keyring, sealed, row?.ownKey);
      this.#opened += 1;
      return this.#faultOfBytes(members, row) ?? this.#faultOfSignature(event, members);
    } catch (error) {
      if (error instanceof UnopenableCiphertext)
        return 'its evidence, or the key of its message, was changed: it does not open';
      if (error instanceof RangeError) return 'its evidence is not what the commitment says';
      return 'its evidence is malformed';
    }
  }

  /** @throws UnopenableCiphertext */
  #faultOfBytes(members: EvidenceMembers, row: MessageRow | undefined): string | undefined {
    if (!row?.ownKey) return undefined;
    if ((members['method'] !== undefined) !== (row.kind === 'request'))
      return 'the message that it names is of another kind';
    const digest = members['bodyDigest'] ?? members['digest'];
    const { id: messageId, ownKey, keyId, ciphertext } = row;
    const bytes = openMessage(this.terms.keyring, { messageId, ownKey }, { keyId, ciphertext });
    if (digest !== undefined && sha256Hex(bytes) !== digest)
      return 'the bytes of its message are not those of its evidence';
    this.#messages += 1;
    return undefined;
  }

  #faultOfSignature({ stream }: RecordedEvent, members: EvidenceMembers): string | undefined {
    const merchantId = stream.split(':')[1] ?? '';
    const standing = signatureStanding(members, (fingerprint) =>
      this.#keys.get(`${merchantId}:${fingerprint}`),
    );
    if (standing === 'unknown_key')
      return 'it is signed with a key that its merchant had not registered';
    if (standing === 'invalid') return 'its merchant’s signature does not verify';
    if (standing === 'valid') this.#signatures += 1;
    return undefined;
  }

  #learn(event: RecordedEvent): void {
    const key = registeredKeyOf(event);
    if (!key) return;
    const merchantId = event.stream.slice('merchant-'.length);
    this.#keys.set(`${merchantId}:${key.fingerprint}`, key);
  }
}

/** The public key that an event of a merchant registers, if it does. */
export function registeredKeyOf({ type, data }: RecordedEvent): PublicKey | undefined {
  if (type !== 'CredentialIssued' || !('publicKeyPem' in data)) return undefined;
  const key = parsePublicKey(String(data.publicKeyPem), minV3KeyBits);
  return key.ok ? key.value : undefined;
}

/** What Postgres takes as one: a changed event may name anything. */
function isUuid(id: string | undefined): id is string {
  return id !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}
