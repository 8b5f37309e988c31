import { answersPush } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type AcceptedLosses } from '#domain/losses';
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

/** Counts of the evidence of all events. */
export interface EvidenceCounts {
  readonly opened: number;
  /** Evidence that cannot be opened: its key was erased with a number, or its message is past its retention. */
  readonly sealed: number;
  /** Evidence whose message is accepted as lost (AUD-32). */
  readonly lost: number;
  /** Merchants' signatures that verify. */
  readonly signatures: number;
  /** Messages whose bytes have the digest that the evidence contains. */
  readonly messages: number;
}

/** The keys and the stored messages for the check, and the retention of messages. */
export interface EvidenceTerms {
  readonly keyring: Keyring;
  readonly messages: MessageRows;
  /** Messages of older events may be deleted by now. */
  readonly keptSinceMs: number;
}

/**
 * Messages are deleted while a check runs, by the database's clock. The check does not report a missing message that is
 * near the end of its retention.
 */
const marginMs = 24 * 3_600_000;

/** Returns the stream that an event is about: for a reservation, the stream of its source. */
function aboutOf({ stream, data }: RecordedEvent): string {
  return stream.startsWith('reservations-') && 'source' in data ? String(data.source) : stream;
}

/** True if every release has recorded evidence with events of this kind. */
function needsEvidence({ type, data }: RecordedEvent): boolean {
  if (type === 'CollectionIntentRecorded') return 'origin' in data && data.origin === 'v4';
  return type === 'RailConfirmed' && 'by' in data && data.by === 'callback';
}

/** Checks the commitments, evidence, bytes and signatures of events, each with the keys of its time. */
export class EvidenceCheck {
  #opened = 0;
  #sealed = 0;
  #lost = 0;
  #signatures = 0;
  #messages = 0;
  /** All keys that were ever registered, by merchant and fingerprint. */
  readonly #keys = new Map<string, PublicKey>();
  #rows: ReadonlyMap<string, MessageRow> = new Map();

  constructor(
    private readonly terms: EvidenceTerms,
    private readonly erasures: Erasures,
    private readonly losses: AcceptedLosses,
  ) {}

  get counts(): EvidenceCounts {
    return {
      opened: this.#opened,
      sealed: this.#sealed,
      lost: this.#lost,
      signatures: this.#signatures,
      messages: this.#messages,
    };
  }

  /** Reads the messages of the next events. */
  async expect(events: readonly RecordedEvent[]): Promise<void> {
    const ids = events.flatMap(({ metadata: { evidence } }) =>
      isUuid(evidence?.messageId) ? [evidence.messageId] : [],
    );
    const rows = await this.terms.messages.find([...new Set(ids)]);
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * @returns the fault of the event's evidence, or undefined if it has none
   * @throws EventStoreUnavailable
   */
  async faultOf(event: RecordedEvent): Promise<string | undefined> {
    this.#learn(event);
    const { evidence, commitment } = event.metadata;
    if (!evidence) return needsEvidence(event) ? 'it carries no evidence' : undefined;
    if (commitment === undefined) return 'its evidence has no commitment';
    const row = this.#rows.get(evidence.messageId ?? '');
    if (!row && (await this.#isAcceptedLoss(event))) {
      this.#lost += 1;
      return undefined;
    }
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
    if (!row)
      return this.#isFault(event) ? 'the message that it names is not in the records' : undefined;
    // The row itself says that it was erased, and an erasure records an event before it deletes anything (EVT-43).
    if (!row.ownKey && !(row.isErased && (await this.erasures.cover(aboutOf(event)))))
      return 'the key of its message is gone, but no erasure is recorded';
    if (row.stream !== aboutOf(event)) return 'the message that it names is of another stream';
    return undefined;
  }

  /** True if a missing message of this event is a fault, unless it is accepted as lost. */
  #isFault(event: RecordedEvent): boolean {
    const isKept = Date.parse(event.recordedAt) > this.terms.keptSinceMs + marginMs;
    return isKept && !answersPush(event);
  }

  #isAcceptedLoss(event: RecordedEvent): boolean | Promise<boolean> {
    const id = event.metadata.evidence?.messageId;
    return (
      id !== undefined && this.#isFault(event) && this.losses.covers('messages', id, event.position)
    );
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

/** The public key that a merchant's event registers, or undefined. */
export function registeredKeyOf({ type, data }: RecordedEvent): PublicKey | undefined {
  if (type !== 'CredentialIssued' || !('publicKeyPem' in data)) return undefined;
  const key = parsePublicKey(String(data.publicKeyPem), minV3KeyBits);
  return key.ok ? key.value : undefined;
}

/** True if Postgres accepts the id as a uuid: a manipulated event may name anything. */
function isUuid(id: string | undefined): id is string {
  return id !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}
