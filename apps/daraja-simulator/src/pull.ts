import { type Clock } from '#domain/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { shillingsFromMinor } from './amount.js';
import { instantOfPullDate } from './east-africa-time.js';
import { faults, invalidField, refuseWith } from './faults.js';
import type { Memory, PaidLine } from './memory.js';
import { newRequestId, paidMinor } from './payment.js';
import type { Settings } from './settings.js';

/** Daraja tells of the last 48 hours. */
const lookBackMs = 48 * 3_600_000;
const pageSize = 100;

/** Pull Transactions: what the pay bill took, page by page, the oldest first. */
export class Pull {
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
    const page = this.memory.paid
      .filter(({ paidAtMs }) => paidAtMs >= fromMs && paidAtMs < untilMs)
      .toSorted((one, other) => one.paidAtMs - other.paidAtMs)
      .slice(offset, offset + pageSize);
    return reply.send({
      ResponseRefID: newRequestId(),
      ResponseCode: page.length === 0 ? '1001' : '1000',
      ResponseMessage: page.length === 0 ? 'No transactions found' : 'Success',
      Response: page.length === 0 ? [] : [page.map(told)],
    });
  };
}

function told({ payment, paidAtMs }: PaidLine): object {
  const { push } = payment;
  const payBill = push.transactionType === 'CustomerPayBillOnline';
  return {
    transactionId: push.receipt,
    trxDate: `${new Date(paidAtMs).toISOString().slice(0, 19)}Z`,
    msisdn: Number(push.phone),
    sender: 'TEST CUSTOMER',
    transactiontype: payBill ? 'c2b-pay-bill-debit' : 'c2b-buy-goods-debit',
    // A till knows no accounts.
    billreference: payBill ? push.accountReference : '',
    amount: shillingsFromMinor(paidMinor(payment)),
    organizationname: 'Daraja simulator',
  };
}
