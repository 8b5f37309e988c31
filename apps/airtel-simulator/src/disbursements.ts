import { parseMinor } from '#domain/kernel';
import { shillingsFromMinor } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Courses } from './courses.js';
import { isPayoutType, readPayout } from './fields.js';
import type { Intake, Product } from './intake.js';
import type { Keys } from './keys.js';
import type { Memory } from './memory.js';
import type { Padding } from './padding.js';
import { payoutScenarioOf } from './payout-scenarios.js';
import type { Portal } from './portal.js';
import { type PayoutCode, payoutOutcome, type Report, sendReport } from './reports.js';
import { jsonOf, queryOf } from './requests.js';
import type { Settings } from './settings.js';
import type { Transaction } from './transactions.js';

const paddings = {
  any: ['pkcs1', 'oaep', 'oaep_sha1'],
  pkcs1: ['pkcs1'],
  oaep: ['oaep'],
  oaep_sha1: ['oaep_sha1'],
} as const satisfies Record<string, readonly Padding[]>;

/** Payouts to customers, and enquiries about them. */
export class Disbursements {
  private readonly product: Product<PayoutCode>;

  constructor(
    private readonly means: {
      readonly settings: Pick<Settings, 'pin'>;
      readonly memory: Memory;
      readonly portal: Portal;
      readonly keys: Keys;
    },
    private readonly intake: Intake,
    courses: Courses<PayoutCode>,
  ) {
    this.product = {
      transactions: means.memory.payouts,
      courses,
      scenarioOf: payoutScenarioOf,
      duplicate: payoutOutcome('017'),
      takenStatus: 'TIP',
      sendStatus: (reply, transaction) => this.sendStatus(reply, transaction),
    };
  }

  readonly pay = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { ways } = this.means.portal;
    const body = jsonOf(request);
    const wrongPin = this.pinFault(body['pin']);
    if (wrongPin) return sendReport(reply, wrongPin, ways);
    const read = readPayout(body, ways);
    return read.ok
      ? this.intake.take(this.product, read.value, reply)
      : sendReport(reply, read.refusal, ways);
  };

  readonly enquire = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { memory, portal } = this.means;
    if (!isPayoutType(queryOf(request, 'transactionType')))
      return sendReport(reply, { router: 'ROUTER003' }, portal.ways);
    const transaction = memory.payouts.accepted.get(request.params.id);
    if (!transaction) return sendReport(reply, payoutOutcome('015'), portal.ways);
    const scripted = transaction.scenario.enquiries[transaction.enquiries];
    if (scripted === undefined) return this.sendStatus(reply, transaction);
    await memory.payouts.countEnquiry(transaction);
    return sendReport(reply, scripted, portal.ways);
  };

  /** Returns the fault of an encrypted PIN: it is absent, cannot be decrypted, or is another wallet's. */
  private pinFault(given: unknown): Report | undefined {
    const { settings, portal, keys } = this.means;
    if (typeof given !== 'string' || given === '') return { router: 'ROUTER003' };
    const pin = keys.decrypt(given, paddings[portal.ways.pin_padding]);
    if (pin === undefined) return { router: 'ROUTER116' };
    return pin === settings.pin ? undefined : { router: 'ROUTER115' };
  }

  private sendStatus(reply: FastifyReply, { order, standing }: Transaction<PayoutCode>) {
    const { memory, portal } = this.means;
    const { id, moneyId, msisdn, amountMinor } = order;
    const ids = { reference_id: moneyId, airtel_money_id: `disbursement-${moneyId}-${id}` };
    const outcome = payoutOutcome(standing.code);
    const isPaid = standing.status === 'TS';
    const message =
      `You have sent KES ${shillingsFromMinor(parseMinor(amountMinor))} to ${msisdn} TEST CUSTOMER. ` +
      `Bal KES ${shillingsFromMinor(memory.payableMinor)}. TID: ${moneyId}`;
    return sendReport(reply, isPaid ? { ...outcome, message } : outcome, portal.ways, {
      transaction: { ...(isPaid && ids), id, status: standing.status },
    });
  }
}
