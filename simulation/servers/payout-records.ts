import { type OpenProposal, type Proposal, type ReceiptClaim } from '#domain/reviews';
import { type PhoneTraces } from '#domain/kernel';
import {
  type AllowanceClaim,
  type BatchItem,
  PayoutAllowances,
  PayoutBatchItems,
  type PayoutPhone,
  PayoutPhones,
} from '#domain/payouts';
import {
  type DuePayoutQuery,
  type LastPayoutQuestion,
  type PayoutAnswerNote,
  PayoutQueries,
  type RailAccount,
} from '#edges/rails';
import { type Life } from '../core/life.js';
import { statement } from './record-ports.js';
import { type ViewTables } from './views.js';

const dayMs = 86_400_000;
/** The value of libs/adapters/rail-records. */
const againAfterMs = 2000;
const minGapMs = 5000;
const maxGapMs = 6 * 3_600_000;
const extraForMs = 30 * dayMs;
const maxApartMs = 60_000;

export interface PhoneRow {
  readonly stream: string;
  readonly phone: string;
  readonly keptAtMs: number;
}

interface QueryRow {
  asked: number;
  askedAtMs: number;
  dueAtMs: number;
  answered: number;
  answeredAtMs: number;
  answer: string | undefined;
  extraAsked: number;
  extraAskedAtMs: number;
  extraUntilMs: number;
}

const noRow = {
  askedAtMs: Number.NEGATIVE_INFINITY,
  answered: 0,
  answeredAtMs: Number.NEGATIVE_INFINITY,
  answer: undefined,
  extraAsked: 0,
  extraAskedAtMs: Number.NEGATIVE_INFINITY,
  extraUntilMs: Number.NEGATIVE_INFINITY,
};

type Counted = Pick<AllowanceClaim, 'kind' | 'stream' | 'amountMinor'> & { readonly day: number };

/** Postgres' records about payouts. Each method is one statement or one transaction. */
export class PayoutTables {
  readonly phones = new Map<string, PhoneRow>();
  readonly queries = new Map<string, QueryRow>();
  /** The payouts of batches, by the ids of the batches' first events. */
  readonly batchItems = new Map<string, readonly BatchItem[]>();
  /** The open proposals of operators, by stream. */
  readonly proposals = new Map<string, OpenProposal>();
  /** Every proposal that was ever made, by id. */
  readonly proposed = new Map<string, Proposal>();
  readonly receiptClaims = new Map<string, ReceiptClaim>();
  /** Payouts that the rail was given in a history that the log has lost. The rail's answers to the orders are kept. */
  readonly lost = new Set<string>();
  private readonly counted = new Map<string, Counted>();

  constructor(
    private readonly nowMs: () => number,
    private readonly views: () => ViewTables,
    readonly delaysMs: readonly number[],
    /** Returns true if a message of the rail about the payout is stored. */
    private readonly hasMessage: (stream: string) => boolean,
  ) {}

  /** As libs/views/payouts reads it from the records. */
  wasGiven(stream: string): boolean {
    const { asked = 0, extraAsked = 0 } = this.queries.get(stream) ?? {};
    return this.lost.has(stream) || asked > 0 || extraAsked > 0 || this.hasMessage(stream);
  }

  keepPhone(stream: string, phoneHmac: string, phone: string): void {
    this.phones.set(`${stream} ${phoneHmac}`, { stream, phone, keptAtMs: this.nowMs() });
  }

  forgetPhones(stream: string): void {
    for (const [id, row] of this.phones) if (row.stream === stream) this.phones.delete(id);
  }

  count({ kind, stream, amountMinor, maxPerDayMinor }: AllowanceClaim): boolean {
    const day = Math.floor(this.nowMs() / dayMs);
    const key = `${day} ${kind} ${stream}`;
    if (this.counted.has(key)) return true;
    const total = [...this.counted.values()]
      .filter((one) => one.kind === kind && one.day === day)
      .reduce((sum, one) => sum + one.amountMinor, amountMinor);
    if (maxPerDayMinor !== undefined && total > maxPerDayMinor) return false;
    this.counted.set(key, { kind, stream, amountMinor, day });
    return true;
  }

  giveBack(of: string): void {
    for (const [key, { stream }] of this.counted) if (stream === of) this.counted.delete(key);
  }

  dueQueries(rails: readonly RailAccount[], max: number): DuePayoutQuery[] {
    const nowMs = this.nowMs();
    const isOfRails = ({ channel, mode }: RailAccount): boolean =>
      rails.some((rail) => rail.channel === channel && rail.mode === mode);
    return this.#asked()
      .filter((query) => query.dueAtMs <= nowMs && isOfRails(query))
      .sort((a, b) => Number(a.isExtra) - Number(b.isExtra) || a.dueAtMs - b.dueAtMs)
      .slice(0, max)
      .map(({ dueAtMs: _due, ...query }) => query);
  }

  /** Returns when the next question is due. */
  nextQueryDueMs(): number | undefined {
    return earliestOf(this.#asked().map(({ dueAtMs }) => dueAtMs));
  }

  leaseQuery({ stream, asked, isExtra }: DuePayoutQuery): boolean {
    const nowMs = this.nowMs();
    const row = this.queries.get(stream);
    if (isExtra) {
      if (row?.extraAsked !== asked || row.extraUntilMs <= nowMs) return false;
      [row.extraAsked, row.extraAskedAtMs] = [asked + 1, nowMs];
      return true;
    }
    if (row && row.asked !== asked) return false;
    const dueAtMs = nowMs + this.#gapAfter(asked);
    this.queries.set(stream, { ...noRow, ...row, asked: asked + 1, askedAtMs: nowMs, dueAtMs });
    return true;
  }

  giveQueryBack({ stream, asked, isExtra }: DuePayoutQuery): void {
    const row = this.queries.get(stream);
    if (isExtra || row?.asked !== asked + 1) return;
    row.asked = asked;
    row.askedAtMs = noRow.askedAtMs;
    row.dueAtMs = this.nowMs() + againAfterMs;
  }

  askExtra(stream: string): void {
    const extraUntilMs = this.nowMs() + (this.delaysMs.at(-1) ?? 0);
    const [row, open] = [this.queries.get(stream), this.views().payouts.open.get(stream)];
    if (row) row.extraUntilMs = extraUntilMs;
    else if (open) {
      const dueAtMs = open.sinceMs + (this.delaysMs[0] ?? 0);
      this.queries.set(stream, { ...noRow, asked: 0, dueAtMs, extraUntilMs });
    }
  }

  extraAnswered(stream: string): void {
    const row = this.queries.get(stream);
    if (row) row.extraUntilMs = noRow.extraUntilMs;
  }

  answerBefore(stream: string, attempt: number): string | undefined {
    const row = this.queries.get(stream);
    if (!row || row.answered === 0 || row.answered !== attempt - 1) return undefined;
    const apartMs = Math.min(maxApartMs, this.#gapAfter(attempt - 2) / 2);
    return this.nowMs() - row.answeredAtMs >= apartMs ? row.answer : undefined;
  }

  lastQuestion(stream: string): LastPayoutQuestion | undefined {
    const row = this.queries.get(stream) ?? { ...noRow, asked: 0 };
    const isExtraAnswered = row.extraUntilMs === noRow.extraUntilMs;
    const extraAtMs = isExtraAnswered ? row.extraAskedAtMs : noRow.extraAskedAtMs;
    const atMs = Math.max(row.askedAtMs, extraAtMs);
    if (atMs === noRow.askedAtMs) return undefined;
    const isAnswered = extraAtMs > row.askedAtMs || row.answered >= row.asked;
    return { agoMs: this.nowMs() - atMs, isAnswered };
  }

  note(stream: string, { attempt, answer }: PayoutAnswerNote): void {
    const row = this.queries.get(stream);
    if (!row || row.answered >= attempt) return;
    [row.answered, row.answer, row.answeredAtMs] = [attempt, answer, this.nowMs()];
  }

  settleQueries(stream: string): void {
    const row = this.queries.get(stream);
    if (!row) return;
    row.dueAtMs = this.nowMs() + this.#gapAfter(this.delaysMs.length);
    row.extraUntilMs = noRow.extraUntilMs;
  }

  #asked(): (DuePayoutQuery & { dueAtMs: number })[] {
    const { payouts } = this.views();
    const steps = ['started', 'declined', 'refused'] as const;
    const all = steps.flatMap((step) => payouts.ofStep(step));
    return all.flatMap(({ stream, mode, channel, originatorConversationId, sinceMs, step }) => {
      const row = this.queries.get(stream);
      if (originatorConversationId === null) return [];
      const declinedAtMs = step === 'started' ? undefined : sinceMs;
      const query = { stream, mode, channel, originatorConversationId };
      const scheduled =
        step === 'refused'
          ? this.#calledFor(row, sinceMs)
          : this.#scheduled(row, sinceMs, declinedAtMs);
      return [
        ...scheduled.map((one) => ({ ...query, ...one })),
        ...this.#extra(row, declinedAtMs).map((one) => ({ ...query, ...one })),
      ];
    });
  }

  #scheduled(
    row: QueryRow | undefined,
    sinceMs: number,
    declinedAtMs: number | undefined,
  ): readonly Pick<DuePayoutQuery & { dueAtMs: number }, 'asked' | 'isExtra' | 'dueAtMs'>[] {
    const asked = row?.asked ?? 0;
    const lastMs = this.delaysMs.at(-1) ?? 0;
    const firstMs = sinceMs + (this.delaysMs[0] ?? 0);
    const dueAtMs = row?.dueAtMs ?? firstMs;
    if (declinedAtMs === undefined) return [{ asked, isExtra: false, dueAtMs }];
    const ageMs = this.nowMs() - declinedAtMs;
    const isUsedUp = asked >= this.delaysMs.length;
    if (ageMs >= lastMs && (isUsedUp || ageMs >= 2 * lastMs + dayMs)) return [];
    const isAskedAnew = isUsedUp && row !== undefined && row.askedAtMs < declinedAtMs;
    return [{ asked, isExtra: false, dueAtMs: isAskedAnew ? Math.min(dueAtMs, firstMs) : dueAtMs }];
  }

  /** For a payout that the rail refused in its answer: undefined until a report causes a question. */
  #calledFor(
    row: QueryRow | undefined,
    refusedAtMs: number,
  ): readonly Pick<DuePayoutQuery & { dueAtMs: number }, 'asked' | 'isExtra' | 'dueAtMs'>[] {
    const isOver = this.nowMs() - refusedAtMs >= extraForMs;
    if (!row || isOver || row.asked >= this.delaysMs.length) return [];
    return [{ asked: row.asked, isExtra: false, dueAtMs: row.dueAtMs }];
  }

  #extra(
    row: QueryRow | undefined,
    declinedAtMs: number | undefined,
  ): readonly Pick<DuePayoutQuery & { dueAtMs: number }, 'asked' | 'isExtra' | 'dueAtMs'>[] {
    const nowMs = this.nowMs();
    const isOver = declinedAtMs !== undefined && nowMs - declinedAtMs >= extraForMs;
    if (!row || row.extraUntilMs <= nowMs || isOver) return [];
    const gapMs = Math.min(maxGapMs, minGapMs * 2 ** row.extraAsked);
    const dueAtMs = Math.max(row.askedAtMs + minGapMs, row.extraAskedAtMs + gapMs);
    return [{ asked: row.extraAsked, isExtra: true, dueAtMs }];
  }

  #gapAfter(asked: number): number {
    const next = Math.min(asked + 1, this.delaysMs.length - 1);
    return Math.max((this.delaysMs[next] ?? 0) - (this.delaysMs[next - 1] ?? 0), minGapMs);
  }
}

export function earliestOf(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

export class SimulatedPayoutPhones extends PayoutPhones {
  constructor(
    protected readonly life: Life,
    protected readonly tables: PayoutTables,
  ) {
    super();
  }

  override tracesOf(phone: string): PhoneTraces {
    return { phoneHmac: `hmac-of-${phone}`, phoneMasked: '2547*****000' };
  }

  override keep(stream: string, phoneHmac: string, phone: string): Promise<void> {
    return statement(this.life, `keeps the number of ${stream}`, () => {
      this.tables.keepPhone(stream, phoneHmac, phone);
    });
  }

  override find(stream: string, phoneHmac: string): Promise<string | undefined> {
    return statement(
      this.life,
      `reads the number of ${stream}`,
      () => this.tables.phones.get(`${stream} ${phoneHmac}`)?.phone,
    );
  }

  override forget(stream: string, phoneHmac?: string): Promise<void> {
    if (phoneHmac === undefined) return this.forgetAll([stream]);
    return statement(this.life, `forgets a number of ${stream}`, () => {
      this.tables.phones.delete(`${stream} ${phoneHmac}`);
    });
  }

  override keepAll(phones: readonly PayoutPhone[]): Promise<void> {
    const streams = phones.map(({ stream }) => stream);
    return statement(this.life, `keeps the numbers of ${streams.join(', ')}`, () => {
      for (const { stream, phoneHmac, phone } of phones)
        this.tables.keepPhone(stream, phoneHmac, phone);
    });
  }

  override forgetAll(streams: readonly string[]): Promise<void> {
    return statement(this.life, `forgets the number of ${streams.join(', ')}`, () => {
      for (const stream of streams) this.tables.forgetPhones(stream);
    });
  }
}

export class SimulatedBatchItems extends PayoutBatchItems {
  constructor(
    protected readonly life: Life,
    protected readonly tables: PayoutTables,
  ) {
    super();
  }

  override keep(id: string, stream: string, items: readonly BatchItem[]): Promise<void> {
    return statement(this.life, `keeps what ${stream} asks for`, () => {
      this.tables.batchItems.set(id, items);
    });
  }

  override find(id: string): Promise<readonly BatchItem[] | undefined> {
    return statement(this.life, 'reads what a batch asks for', () =>
      this.tables.batchItems.get(id),
    );
  }

  override forget(id: string): Promise<void> {
    return statement(this.life, 'forgets what a batch asks for', () => {
      this.tables.batchItems.delete(id);
    });
  }
}

export class SimulatedAllowances extends PayoutAllowances {
  constructor(
    private readonly life: Life,
    private readonly tables: PayoutTables,
  ) {
    super();
  }

  override claim(claim: AllowanceClaim): Promise<boolean> {
    return statement(this.life, `counts ${claim.stream} as ${claim.kind}`, () =>
      this.tables.count(claim),
    );
  }

  override giveBack(stream: string): Promise<void> {
    return statement(this.life, `counts ${stream} no more`, () => {
      this.tables.giveBack(stream);
    });
  }
}

export class SimulatedPayoutQueries extends PayoutQueries {
  constructor(
    protected readonly life: Life,
    protected readonly tables: PayoutTables,
  ) {
    super();
  }

  override due(rails: readonly RailAccount[], max: number): Promise<readonly DuePayoutQuery[]> {
    return statement(this.life, 'looks which payouts are to be asked about', () =>
      this.tables.dueQueries(rails, max),
    );
  }

  override lease(query: DuePayoutQuery): Promise<boolean> {
    const kind = query.isExtra ? 'extra question' : 'question';
    const what = `takes ${kind} ${query.asked + 1} about ${query.stream}`;
    return statement(this.life, what, () => this.tables.leaseQuery(query));
  }

  override giveBack(query: DuePayoutQuery): Promise<void> {
    return statement(this.life, `gives the question about ${query.stream} back`, () => {
      this.tables.giveQueryBack(query);
    });
  }

  override askExtra(stream: string): Promise<void> {
    return statement(this.life, `calls for an extra question about ${stream}`, () => {
      this.tables.askExtra(stream);
    });
  }

  override extraAnswered(stream: string): Promise<void> {
    return statement(this.life, `has an extra question about ${stream} answered`, () => {
      this.tables.extraAnswered(stream);
    });
  }

  override answerBefore(stream: string, attempt: number): Promise<string | undefined> {
    return statement(this.life, `reads the answer before ${attempt} about ${stream}`, () =>
      this.tables.answerBefore(stream, attempt),
    );
  }

  override lastQuestion(stream: string): Promise<LastPayoutQuestion | undefined> {
    return statement(this.life, `looks when ${stream} was last asked about`, () =>
      this.tables.lastQuestion(stream),
    );
  }

  override note(stream: string, note: PayoutAnswerNote): Promise<void> {
    const what = `notes answer ${note.attempt} about ${stream}: ${note.answer}`;
    return statement(this.life, what, () => {
      this.tables.note(stream, note);
    });
  }

  override settled(stream: string): Promise<void> {
    return statement(this.life, `asks no more about ${stream}`, () => {
      this.tables.settleQueries(stream);
    });
  }
}
