import { answersPush } from '#domain/collections';
import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { msFromInstant } from '#domain/kernel';
import { type Difference } from './difference.js';
import { type Losses } from './losses.js';
import { type Snapshots } from './snapshots.js';

/** A message that an event names, from the records. */
export interface NamedMessage {
  readonly id: string;
  readonly keyId: string;
  readonly ownKey: Buffer | undefined;
  readonly ciphertext: Buffer;
}

export interface EvidenceOptions {
  /** The time since which all messages are present: retention may have deleted older ones (AUD-22). */
  readonly keptSinceMs: number;
  readonly nowMs: number;
  /** Opens both and compares them. If absent, the check only looks whether the message exists. */
  readonly check?: (event: RecordedEvent, message: NamedMessage) => 'holds' | 'differs' | 'sealed';
}

/** The findings about the messages that events name. */
export interface EvidenceReport {
  /** The number of events whose message was looked up. Events from before messages were stored name none. */
  readonly compared: number;
  readonly erased: number;
  /** Messages past their retention. */
  readonly expired: number;
  /** Missing messages that are accepted as lost (AUD-32). */
  readonly lost: number;
  /** Missing answers of the rail to pushes. They are written next to their events, so a process may have ended in between. */
  readonly answersMissing: number;
  /** Messages that were opened and match their events; undefined if none was to be opened. */
  readonly opened: number | undefined;
  /** Messages that cannot be opened: their data key was dropped, or is not in the ring. */
  readonly sealed: number;
}

interface Named {
  readonly event: RecordedEvent;
  readonly messageId: string;
  /** The position of the last event of the same append. */
  lastPosition: Position;
}

const pageSize = 500;
/** Housekeeping and this walk do not read at the same moment. */
const marginMs = 86_400_000;
/** The rail's answer to a push this young may still be on its way. */
const besideMs = 60_000;

const select = {
  name: 'verify-evidence',
  text: `select id, own_key is null as erased from records.sealed_messages where id = any($1::uuid[])`,
};
const selectWhole = {
  name: 'verify-evidence-whole',
  text: `
    select id, own_key is null as erased, key_id, own_key, ciphertext
      from records.sealed_messages where id = any($1::uuid[])`,
};

interface MessageRow {
  readonly id: string;
  readonly erased: boolean;
  readonly key_id: string;
  readonly own_key: Buffer | null;
  readonly ciphertext: Buffer;
}

/** Checks that each message that an event names exists and, if its keys are available, matches the event. */
export class MessagesCheck {
  private readonly named: Named[] = [];
  private last = '';
  private readonly counts = {
    compared: 0,
    erased: 0,
    expired: 0,
    lost: 0,
    answersMissing: 0,
    sealed: 0,
  };
  private opened = 0;

  constructor(
    private readonly snapshots: Snapshots,
    private readonly losses: Losses,
    private readonly options: EvidenceOptions | undefined,
  ) {}

  get report(): EvidenceReport | undefined {
    if (!this.options) return undefined;
    return { ...this.counts, opened: this.options.check ? this.opened : undefined };
  }

  /** @returns a promise only if a page is full */
  observe(event: RecordedEvent): void | Promise<void> {
    const messageId = event.metadata.evidence?.messageId;
    if (!this.options || messageId === undefined) return;
    const { position, metadata } = event;
    const before = this.named.at(-1);
    // Events of one append share their evidence.
    if (before && metadata.commitment === this.last) {
      before.lastPosition = position;
      return;
    }
    this.last = metadata.commitment ?? '';
    const page = this.named.length < pageSize ? [] : this.named.splice(0);
    this.named.push({ event, messageId, lastPosition: position });
    if (page.length > 0) return this.checkPage(page, this.options);
  }

  /** Checks the last page. */
  async finish(): Promise<void> {
    if (this.options && this.named.length > 0)
      await this.checkPage(this.named.splice(0), this.options);
  }

  private async checkPage(page: readonly Named[], options: EvidenceOptions): Promise<void> {
    const ids = [...new Set(page.map(({ messageId }) => messageId))];
    const statement = options.check ? selectWhole : select;
    const rows = await this.snapshots.query<MessageRow>(statement, [ids]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const named of page) await this.compare(named, byId.get(named.messageId), options);
  }

  private compare(
    named: Named,
    row: MessageRow | undefined,
    options: EvidenceOptions,
  ): void | Promise<void> {
    this.counts.compared += 1;
    const { event } = named;
    if (!row) return this.missing(named, options);
    if (row.erased) this.counts.erased += 1;
    else if (options.check) this.open(event, row, options.check);
  }

  private async missing(named: Named, options: EvidenceOptions): Promise<void> {
    const { event } = named;
    const recordedAtMs = msFromInstant(event.recordedAt);
    if (recordedAtMs < options.keptSinceMs + marginMs) this.counts.expired += 1;
    else if (!answersPush(event)) await this.lose(named);
    else if (options.nowMs - recordedAtMs > besideMs) this.counts.answersMissing += 1;
  }

  private async lose({ event, messageId: id, lastPosition }: Named): Promise<void> {
    const { position, recordedAt } = event;
    if (await this.losses.covers({ kind: 'messages', id, position })) {
      this.counts.lost += 1;
      return;
    }
    const difference = differenceOf(event, 'row', `message ${id}`, null);
    const loss = { kind: 'messages', id, position, lastPosition, recordedAt } as const;
    await this.losses.add(loss, difference);
  }

  private open(
    event: RecordedEvent,
    { id, key_id: keyId, own_key: ownKey, ciphertext }: MessageRow,
    check: NonNullable<EvidenceOptions['check']>,
  ): void {
    const found = check(event, { id, keyId, ownKey: ownKey ?? undefined, ciphertext });
    if (found === 'sealed') this.counts.sealed += 1;
    else if (found === 'holds') this.opened += 1;
    else {
      const expected = `the bytes that ${event.type} commits to`;
      this.losses.differ(differenceOf(event, 'ciphertext', expected, 'others'));
    }
  }
}

function differenceOf(
  { stream, position }: RecordedEvent,
  field: string,
  expected: string,
  found: string | null,
): Difference {
  const table = 'sealed_messages';
  return { table, field, stream, position: `${position}`, expected, found };
}
