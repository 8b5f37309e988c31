import {
  collectionStream,
  ExpectPayment,
  type Initiated,
  type Intent,
  isNewlyRecorded,
  typedAccount,
} from '#domain/collections';
import { bodyBytes, RequestSeal } from '#shared/http';
import { Documented } from '#shared/openapi';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { ByCaller, type Caller, MoneyMovement } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { answer, errors, problem } from '../errors.js';
import { recordingHeaders } from '../idempotency/answer-headers.js';
import { MoneyCalls } from '../idempotency/money-calls.js';
import {
  expectedExample,
  expectedResponse,
  type ExpectedResponse,
} from '../transactions/transaction-shapes.js';
import { validatedAgainst } from '../validation/validated.js';
import { CollectionCalls, namedDifferences } from './collection-calls.js';
import { CollectionTermsSource } from './create-collection.dto.js';
import { ExpectPaymentDto } from './expect-payment.dto.js';

/** A till's customer types no account. */
const noPayBill = 'channel must take payments by account number; this installation has a till.';
const tooLong =
  'reference must be shorter: with account_no and a space it must have at most 20 characters.';

@Controller('api/v4/expected-payments')
@V4Authenticated()
export class ExpectedPaymentsController {
  constructor(
    private readonly collections: CollectionCalls,
    private readonly commands: CommandBus,
    private readonly moneyCalls: MoneyCalls,
    private readonly requests: RequestSeal,
  ) {}

  @Post()
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'expectPayment',
    tag: 'Collections',
    summary: 'Expect a payment without a push',
    description:
      'Records that a customer will pay by typing the pay bill’s number. Show the customer `pay_to`: the number, and the account to type, which is your account number and your reference. Nothing is pushed. The payment becomes `completed` under your reference when the rail reports it, with the usual webhook. **If the reference exists already, the answer is 202 with the current state of that collection**, with `X-PP-Existing` and `X-PP-Differs` as for a collection. A customer who types only the account number pays the account too, under a reference of its own (`mpesa~` and the receipt).',
    answer: {
      description:
        'The expected payment, or the current state of the collection with this reference.',
      shape: expectedResponse,
      example: expectedExample,
      headers: recordingHeaders,
    },
    refusals: [errors.idempotency_in_progress, errors.idempotency_key_reused],
  })
  async expect(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(ExpectPaymentDto, CollectionTermsSource)) dto: ExpectPaymentDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExpectedResponse> {
    const { reference, amount_minor, currency, channel, account_no } = dto;
    const { payBill } = dto.terms.limits;
    if (payBill === undefined) throw problem('invalid_channel', { detail: noPayBill });
    if (typedAccount(account_no, reference) === undefined)
      throw problem('invalid_reference', { detail: tooLong });
    const terms = dto.terms.validated();
    const { merchantId, mode } = terms.account;
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: 'POST /api/v4/expected-payments',
      reference,
      fields: [account_no, amount_minor, currency, channel, reference],
      seal: () =>
        this.requests.seal(caller, {
          stream: collectionStream({ merchantId, mode, reference }),
          bytes: bodyBytes(reply.request),
        }),
      current: () => this.collections.current(caller, reference),
      run: ({ metadata }) =>
        this.commands.execute(new ExpectPayment({ ...terms, channel, reference }, metadata)),
      recordedNothing: (outcome) => !isNewlyRecorded(outcome),
      // The request names no number, so none can differ.
      differences: (existing: Intent) =>
        namedDifferences(existing, { ...terms, channel, phoneHmac: existing.phoneHmac }),
    });
    return answer(result, (initiated) => toResponse(initiated, payBill, account_no));
  }
}

function toResponse(
  { view, existing }: Initiated,
  payBill: string,
  accountNo: string,
): ExpectedResponse {
  return {
    status: view.status,
    reference: view.reference,
    amount_minor: view.amountMinor,
    currency: view.currency,
    pay_to: {
      pay_bill: payBill,
      account: `${existing?.accountNo ?? accountNo} ${view.reference}`,
    },
  };
}
