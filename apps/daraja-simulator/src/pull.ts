import { type Clock, parseMinor } from '#domain/kernel';
import { shillingsFromMinor } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { instantOfPullDate } from './east-africa-time.js';
import { faults, invalidField, refuseWith } from './faults.js';
import type { Memory } from './memory.js';
import { newRequestId, type PaidLine } from './payment.js';
import { secondOf } from './payments.js';
import type { Settings } from './settings.js';
import { byTime, type Moment } from './statement.js';
import type { Sweep } from './withdrawals.js';

/** Daraja reports the last 48 hours. */
const lookBackMs = 48 * 3_600_000;
const pageSize = 100;
const organization = 'Daraja simulator';

/** The answers that short codes were seen to get. The first of each list is the simulator's default. */
const ways = {
  /** A day without payments: the code for none, the code for payments with an empty list, or a server error. */
  empty: ['1001', '1000', '500'],
  /**
   * `z`: UTC. `nairobi_z`: East Africa Time marked as UTC. `offset`: East Africa Time with its offset. `none`: East
   * Africa Time without a zone.
   */
  date: ['z', 'nairobi_z', 'offset', 'none'],
  msisdn: ['number', 'text', 'nine', 'masked', 'absent'],
  /** `nothing`: the answer of a short code that is not registered. `payments`: the payments. */
  tells: ['payments', 'nothing'],
} as const;
type Ways = { readonly [W in keyof typeof ways]: (typeof ways)[W][number] };

/** A movement of money that Pull lists. */
interface Listed extends Moment {
  readonly row: (ways: Ways) => object;
}

/** Pull Transactions: the payments to the pay bill and its settlements, page by page, oldest first. */
export class Pull {
  #ways: Ways = { empty: '1001', date: 'z', msisdn: 'number', tells: 'payments' };

  constructor(
    private readonly settings: Pick<Settings, 'shortcode'>,
    private readonly clock: Clock,
    private readonly memory: Memory,
  ) {}

  readonly query = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    const { ShortCode, OffSetValue } = body;
    if (ShortCode !== this.settings.shortcode) return refuseWith(reply, faults.unknownMerchant);
    const [fromMs, untilMs] = [
      instantOfPullDate(body['StartDate']),
      instantOfPullDate(body['EndDate']),
    ];
    if (fromMs === undefined || fromMs < this.clock.nowMs() - lookBackMs)
      return refuseWith(reply, invalidField('StartDate'));
    if (untilMs === undefined || untilMs < fromMs)
      return refuseWith(reply, invalidField('EndDate'));
    if (typeof OffSetValue !== 'string' || !/^\d{1,9}$/.test(OffSetValue))
      return refuseWith(reply, invalidField('OffSetValue'));
    const offset = Number(OffSetValue);
    const seconds = { from: secondOf(fromMs), until: secondOf(untilMs) };
    const page = [...this.listed(seconds, offset).take(pageSize)];
    if (page.length > 0)
      return reply.send({
        ResponseRefID: newRequestId(),
        ResponseCode: '1000',
        ResponseMessage: 'Success',
        Response: [page.map(({ row }) => row(this.#ways))],
      });
    return this.none(reply);
  };

  /** Sets how later queries are answered. Members that the body does not name stay as they are. */
  readonly answerBy = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const wanted = Object.entries((request.body ?? {}) as Readonly<Record<string, unknown>>);
    const wrong = wanted.find(
      ([name, value]) =>
        !Object.hasOwn(ways, name) || !ways[name as keyof Ways].some((way) => way === value),
    );
    if (wrong !== undefined) return refuseWith(reply, invalidField(wrong[0]));
    this.#ways = { ...this.#ways, ...(Object.fromEntries(wanted) as Partial<Ways>) };
    return reply.send(this.#ways);
  };

  /**
   * Payments, also those that were reversed later, and sweeps to the bank, oldest first. Reversals and payouts are not
   * listed. Seconds in front of the offset are only counted.
   */
  private *listed(
    { from, until }: { readonly from: number; readonly until: number },
    offset: number,
  ): Generator<Listed> {
    if (this.#ways.tells === 'nothing') return;
    const { paid, withdrawals } = this.memory;
    const sweeps = Map.groupBy(withdrawals.sweeps, ({ atMs }) => secondOf(atMs));
    const seconds = [...new Set([...paid.seconds(), ...sweeps.keys()])]
      .filter((second) => second >= from && second < until)
      .toSorted((one, other) => one - other);
    let left = offset;
    for (const second of seconds) {
      const swept = sweeps.get(second) ?? [];
      const count = paid.countIn(second) + swept.length;
      if (count > left)
        yield* [...paid.in(second).map(listedPayment), ...swept.map(listedSweep)]
          .toSorted(byTime)
          .slice(left);
      left = Math.max(0, left - count);
    }
  }

  private none(reply: FastifyReply): FastifyReply {
    if (this.#ways.empty === '500') return refuseWith(reply, faults.internal);
    return reply.send({
      ResponseRefID: newRequestId(),
      ResponseCode: this.#ways.empty,
      ResponseMessage:
        this.#ways.empty === '1001'
          ? 'No records found or Organization Name not available'
          : 'Success',
      Response: this.#ways.empty === '1001' ? [] : [[]],
    });
  }
}

function listedPayment(line: PaidLine): Listed {
  const { receipt, paidAtMs: atMs } = line;
  return { receipt, atMs, row: (ways) => paymentRow(line, ways) };
}

function listedSweep(sweep: Sweep): Listed {
  const { receipt, atMs } = sweep;
  return { receipt, atMs, row: (ways) => sweepRow(sweep, ways) };
}

function paymentRow(
  { receipt, paidAtMs, amountMinor, phone, way, account }: PaidLine,
  { date, msisdn }: Ways,
): object {
  return {
    transactionId: receipt,
    trxDate: dateIn(date, paidAtMs),
    ...numberIn(msisdn, phone),
    sender: 'TEST CUSTOMER',
    transactiontype: way === 'pay_bill' ? 'c2b-pay-bill-debit' : 'c2b-buy-goods-debit',
    billreference: account,
    amount: shillingsFromMinor(amountMinor),
    organizationname: organization,
  };
}

/** A sweep has no customer, and so no number. */
function sweepRow({ receipt, atMs, amountMinor }: Sweep, { date }: Ways): object {
  return {
    transactionId: receipt,
    trxDate: dateIn(date, atMs),
    sender: organization,
    transactiontype: 'merchant-to-organization-settlement',
    billreference: '',
    amount: shillingsFromMinor(parseMinor(amountMinor)),
    organizationname: organization,
  };
}

function dateIn(way: Ways['date'], ms: number): string {
  const utc = new Date(ms).toISOString().slice(0, 19);
  const nairobi = new Date(ms + 3 * 3_600_000).toISOString().slice(0, 19);
  switch (way) {
    case 'z':
      return `${utc}Z`;
    case 'nairobi_z':
      return `${nairobi}Z`;
    case 'offset':
      return `${nairobi}+03:00`;
    case 'none':
      return nairobi.replace('T', ' ');
  }
}

function numberIn(way: Ways['msisdn'], phone: string): object {
  switch (way) {
    case 'number':
      return { msisdn: Number(phone) };
    case 'text':
      return { msisdn: phone };
    case 'nine':
      return { msisdn: phone.slice(3) };
    case 'masked':
      return { msisdn: `${phone.slice(0, 4)} ***** ${phone.slice(-3)}` };
    case 'absent':
      return {};
  }
}
