import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { type CollectionEvent, ExpectPayment } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import { railAmount } from '#domain/rails';
import {
  accepted,
  RailHarness,
  railAddress,
  shortcode,
  unnamedAccount,
} from '../../../../test/rail/harness.js';
import { sealNoticeToken } from '../src/callback/callback-keys.js';
import { InboxStep } from '../src/inbox/inbox-step.js';
import { TakenPayments } from '../src/payment-lists/taken-payments.js';
import { type TakenPayment } from '../src/rail-adapter.js';

/** A merchant's account that customers name. */
export const accountNo = '1000000001';
/** Longer than a notice waits that may be about a push. */
export const pushWaitMs = 121_000;
/** The answer to a notice that is durable. */
export const acknowledged = [200, { ResultCode: 0, ResultDesc: 'Accepted' }];
/** KES 500. */
const paidMinor = 50_000n;
/** KES 250. */
export const pushedMinor = 25_000n;

export const newReceipt = (): string =>
  `R${randomUUID().replaceAll('-', '').slice(0, 9).toUpperCase()}`;

interface Notice {
  readonly receipt: string;
  readonly account?: string;
  readonly amount?: string;
  readonly of?: string;
  /** The customer's number, as the rail shows it. */
  readonly number?: string;
}

/** The inbox's step and the rail's list over one merchant with two accounts, whose customers pay without a push. */
export class NoticeScene {
  private constructor(readonly harness: RailHarness) {}

  static async start(): Promise<NoticeScene> {
    const harness = await RailHarness.start();
    const { merchantId } = harness;
    await harness.database.query(
      `insert into merchants (merchant_id, name, timezone, country)
         values ($1, 'Duka', 'Africa/Nairobi', 'KE')`,
      [merchantId],
    );
    for (const number of [accountNo, unnamedAccount])
      await harness.database.query(`insert into accounts values ($2, $1, 'demo', 'KES', 2)`, [
        merchantId,
        number,
      ]);
    await harness.database.query(`update checkpoint set fresh_at = now() + interval '1 hour'`);
    return new NoticeScene(harness);
  }

  step(): Promise<unknown> {
    return this.harness.app.get(InboxStep, { strict: false }).step();
  }

  body({
    receipt,
    account = accountNo,
    amount = '500.00',
    of = shortcode,
    number = '2547 ***** 678',
  }: Notice): string {
    const now = new Date(this.harness.clock.nowMs() + 3 * 3_600_000).toISOString();
    return JSON.stringify({
      TransactionType: 'Pay Bill',
      TransID: receipt,
      TransTime: now.slice(0, 19).replace(/[-:T]/g, ''),
      TransAmount: amount,
      BusinessShortCode: of,
      BillRefNumber: account,
      InvoiceNumber: '',
      OrgAccountBalance: '500.00',
      ThirdPartyTransID: '',
      MSISDN: number,
      FirstName: 'JOHN',
      MiddleName: '',
      LastName: 'DOE',
    });
  }

  notify(notice: Notice, from = railAddress): Promise<[number, unknown]> {
    return this.harness.post(`c2b/${this.token('confirmation')}`, this.body(notice), from);
  }

  token(purpose: Parameters<typeof sealNoticeToken>[2]): string {
    return sealNoticeToken(this.harness.keyring, { channel: 'mpesa', mode: 'demo' }, purpose);
  }

  /** Judges a payment of the rail's list. */
  async listed(receipt: string, over: Partial<TakenPayment> = {}) {
    const { app, clock } = this.harness;
    const paidAt = instantFromMs(clock.nowMs());
    const day = {
      channel: 'mpesa',
      mode: 'demo',
      day: paidAt.slice(0, 10),
      fromMs: 0,
      untilMs: clock.nowMs() - 60_000,
      isForgottenSoon: false,
      offset: 0,
      attempt: 1,
    } as const;
    const payments = [{ receipt, amountMinor: paidMinor, paidAt, ...over }];
    const page = { kind: 'page', unreadable: 0, payments } as const;
    const { unmatched } = await app.get(TakenPayments, { strict: false }).judge(day, page);
    return unmatched;
  }

  /** Records that the merchant expects KES 500. @returns the stream */
  async expect(reference: string): Promise<string> {
    const { app, merchantId, rail } = this.harness;
    const amount = railAmount(rail.limits(), paidMinor, 'KES');
    if (!amount.ok) throw new Error(amount.refusal);
    const terms = { feeSchedule: { basisPoints: 150, flatMinor: 0n }, channels: ['mpesa'] };
    const account = { merchantId, mode: 'demo', accountNo, currency: 'KES', ...terms } as const;
    const actor = { kind: 'credential', id: 'c1' } as const;
    await app
      .get(CommandBus)
      .execute(
        new ExpectPayment(
          { account, amountMinor: amount.value, channel: 'mpesa', reference },
          { correlationId: randomUUID(), actor, commitment: '00' },
        ),
      );
    return this.harness.streamOf(reference);
  }

  /** The stream of a payment under its own receipt. */
  streamOf(receipt: string): string {
    return this.harness.streamOf(`mpesa~${receipt}`);
  }

  historyOf(receipt: string): Promise<RecordedEvent<CollectionEvent>[]> {
    return this.harness.history(this.streamOf(receipt));
  }

  async outcomes(): Promise<readonly (string | null)[]> {
    const rows = await this.harness.database.query<{ outcome: string | null }>(
      'select outcome from records.callback_inbox order by received_at',
    );
    return rows.map(({ outcome }) => outcome);
  }

  /** Makes all waiting notices due, as if that time had passed. */
  async pass(ms: number): Promise<void> {
    await this.harness.database.query(
      `update records.callback_inbox
          set received_at = received_at - $1 * interval '1 millisecond', next_attempt_at = records.now_()
        where applied_at is null`,
      [ms],
    );
  }

  /** Makes a push of KES 250 to a till, whose code no payment names, and writes what the projector would write for it. */
  async pushToTill(phoneMasked: string): Promise<string> {
    const { database } = this.harness;
    const push = accepted();
    const stream = await this.harness.collection(push);
    await this.harness.project([stream], push.railReference);
    await database.query(
      `update transactions set account_reference = left(md5($1), 12), requested_minor = $2, phone_masked = $3,
         created_on = now()::date where stream = $1`,
      [stream, pushedMinor, phoneMasked],
    );
    await this.projectDays();
    return stream;
  }

  /** Writes on which days items began, as the projector would. */
  async projectDays(): Promise<void> {
    await this.harness.database.query(
      `insert into transaction_days
         select merchant_id, mode, now()::date, min(position), max(position) from transactions group by 1, 2
       on conflict (merchant_id, mode, day) do update set last_position = excluded.last_position`,
    );
  }

  /** Writes what the projector would write at an event of the merchant that cannot be applied. */
  async quarantine(merchantId: string, mode = 'demo'): Promise<void> {
    await this.harness.database.query(
      `insert into quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
         values ($1, $2, 2, 's', 'WalletPosted', gen_random_uuid(), now(), 'spec', 1)`,
      [merchantId, mode],
    );
  }

  /** Writes what the projector would write for an item with the receipt. */
  async project(stream: string, receipt: string): Promise<void> {
    await this.harness.project([stream], `ws_${receipt}`);
    await this.harness.database.query(
      `insert into receipts select mode, $2, position from transactions where stream = $1`,
      [stream, receipt],
    );
  }
}
