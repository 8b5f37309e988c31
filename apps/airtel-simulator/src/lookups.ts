import { type Clock, parseMinor } from '#domain/kernel';
import { shillingsFromMinor } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { currency } from './fields.js';
import type { Keys } from './keys.js';
import type { Memory } from './memory.js';
import { nairobiTime } from './nairobi-time.js';
import type { Portal } from './portal.js';
import { outcome, sendReport } from './reports.js';
import { queryOf } from './requests.js';
import type { Transaction } from './transactions.js';
import type { Ways } from './ways.js';

const keyLifeMs = 30 * 86_400_000;
const pageSizes = { default: 100, max: 500 } as const;
/** Larger numbers are milliseconds of the Unix epoch, smaller ones are seconds. */
const leastMilliseconds = 1e12;

/** Like test cards: the states of wallets. The customers of all other numbers may pay and be paid. */
const wallets: Readonly<Record<string, 'barred' | 'without_pin' | 'unknown'>> = {
  254733000009: 'barred',
  254733000301: 'without_pin',
  254733000302: 'unknown',
};

/** Questions that move no money: the key, balances, a customer's wallet, the list of payments. */
export class Lookups {
  constructor(
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly portal: Portal,
    private readonly keys: Keys,
  ) {}

  readonly encryptionKey = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { ways } = this.portal;
    return sendReport(reply, outcome('DP02010001001', true, 'Success'), ways, {
      key_id: Number(ways.key_bits),
      key: this.keys.publicKey(ways.key_bits),
      valid_upto: nairobiTime(this.clock.nowMs() + keyLifeMs),
    });
  };

  /** `type` COLL is the wallet that collections are paid into; DISB, or none, the one that payouts leave from. */
  readonly balance = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const type = queryOf(request, 'type') ?? 'DISB';
    const { collectedMinor, payableMinor } = this.memory;
    const balances: Readonly<Record<string, bigint>> = { COLL: collectedMinor, DISB: payableMinor };
    const balanceMinor = balances[type];
    return balanceMinor === undefined
      ? sendReport(reply, { router: 'ROUTER003' }, this.portal.ways)
      : sendReport(reply, outcome('DP02100000001', true, 'Success'), this.portal.ways, {
          balance: grouped(balanceMinor),
          currency,
          account_status: 'Active',
        });
  };

  readonly user = (
    request: FastifyRequest<{ Params: { msisdn: string } }>,
    reply: FastifyReply,
  ): FastifyReply => {
    const { msisdn } = request.params;
    const wallet = wallets[`254${msisdn}`];
    const { ways } = this.portal;
    if (!/^[17]\d{8}$/.test(msisdn) || wallet === 'unknown')
      return sendReport(reply, outcome('DP02200000002', false, 'User not found'), ways);
    return sendReport(reply, outcome('DP02200000001', true, 'Success'), ways, {
      first_name: 'TEST',
      last_name: 'CUSTOMER',
      msisdn,
      grade: 'SUBS',
      is_barred: wallet === 'barred',
      is_pin_set: wallet !== 'without_pin',
      registration: { status: 'SUBS' },
    });
  };

  /** The payments of a time, oldest first, page by page. */
  readonly transactions = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { ways } = this.portal;
    const [from, to] = [epochMs(queryOf(request, 'from')), epochMs(queryOf(request, 'to'))];
    const limit = wholeNumber(queryOf(request, 'limit') ?? String(pageSizes.default));
    const offset = wholeNumber(queryOf(request, 'offset') ?? '0');
    if (from === undefined || to === undefined || limit === undefined || offset === undefined)
      return sendReport(reply, { router: 'ROUTER003' }, ways);
    const page = [...this.memory.collections.accepted.values()]
      .filter(
        ({ standing: { status, atMs } }) =>
          (status === 'TS' || (status === 'TF' && ways.list === 'all')) &&
          atMs >= from &&
          atMs < to,
      )
      .toSorted((one, other) => one.standing.atMs - other.standing.atMs)
      .slice(offset, offset + Math.min(limit, pageSizes.max));
    return sendReport(reply, outcome('DP03300001001', true, 'Success'), ways, {
      count: page.length,
      transactions: page.map((transaction) => listed(transaction, ways)),
    });
  };
}

function listed({ order, standing }: Transaction<string>, ways: Ways): object {
  const { atMs, status } = standing;
  return {
    charges: { service: 0 },
    payee: { currency, msisdn: '', name: 'PESAPOST TEST' },
    payer: { currency, msisdn: order.msisdn, name: 'TEST CUSTOMER' },
    service: { type: 'MERCHPAY' },
    transaction: {
      ...(status === 'TS' && { airtel_money_id: order.moneyId }),
      amount: shillingsFromMinor(parseMinor(order.amountMinor)),
      created_at:
        ways.created_at === 'iso' ? new Date(atMs).toISOString() : String(Math.floor(atMs / 1_000)),
      id: order.id,
      reference_number: order.reference,
      status,
    },
  };
}

/** Writes an amount as Airtel writes balances: 3760000n is `37,600.00`. */
function grouped(minor: bigint): string {
  return shillingsFromMinor(minor).replaceAll(/\d(?=(?:\d{3})+\.)/g, '$&,');
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function epochMs(text: string | undefined): number | undefined {
  const number = wholeNumber(text);
  return number === undefined || number >= leastMilliseconds ? number : number * 1_000;
}
