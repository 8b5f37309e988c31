import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type CollectionDetails,
  collectionStream,
  FindCollection,
  InitiateCollection,
  type Initiated,
  type InitiateRefusal,
  isNewlyRecorded,
  PhoneVault,
  referenceHoldsPhone,
} from '#domain/collections';
import { ok, refuse, type Result } from '#domain/kernel';
import { V3Gate } from '#edges/v3-gate';
import { RetainedRequests, type ProvedCaller, RequestSeal } from '#shared/http';
import { type CheckoutLink } from '../link/checkout-link.js';
import { fault, type LinkFault } from '../link/link-fault.js';
import { Nonces } from '../link/nonces.js';
import {
  type PaymentAttempt,
  attemptReference,
  mayFollow,
  maxAttempts,
} from './payment-attempt.js';

/** The caller that a form proves, and the form's bytes. */
export interface FormProof extends ProvedCaller {
  readonly bytes: Buffer;
}

/** Makes pushes for the forms of links, on bytes that are durable before. */
@Injectable()
export class FormPushes {
  constructor(
    private readonly commands: CommandBus,
    private readonly seal: RequestSeal,
    private readonly requests: RetainedRequests,
    private readonly phones: PhoneVault,
  ) {}

  push(details: CollectionDetails, proof: FormProof): Promise<Result<Initiated, InitiateRefusal>> {
    const { account, reference, phone } = details;
    const sealed = this.seal.seal(proof, {
      stream: collectionStream({ ...account, reference }),
      phoneHmac: this.phones.tracesOf(phone).phoneHmac,
      bytes: proof.bytes,
    });
    return this.requests.carryOut(
      sealed,
      () => this.commands.execute(new InitiateCollection(details, sealed.metadata)),
      (outcome) => !isNewlyRecorded(outcome),
    );
  }
}

/** The collections of a link, in the order in which a customer tried. */
@Injectable()
export class PaymentAttempts {
  constructor(
    private readonly pushes: FormPushes,
    private readonly queries: QueryBus,
    private readonly nonces: Nonces,
    private readonly v3: V3Gate,
  ) {}

  /**
   * Reads the newest attempt from the log itself, so it is never behind; undefined if there is none. If the reference
   * was used for another amount, the link is refused: it is not what was started.
   */
  async newest(link: CheckoutLink): Promise<Result<PaymentAttempt | undefined, LinkFault>> {
    let newest: PaymentAttempt | undefined;
    for (let number = 1; number <= maxAttempts; number += 1) {
      const attempt = await this.find(link, number);
      if (!attempt) break;
      const { intent } = attempt.collection;
      if (intent.amountMinor !== link.amountMinor || intent.currency !== link.account.currency)
        return fault('another_amount');
      newest = attempt;
      if (!mayFollow(attempt)) break;
    }
    return ok(newest);
  }

  /** Asks the phone to pay. If any form started this attempt before, nothing happens. */
  async start(
    link: CheckoutLink,
    { number, phone }: { readonly number: number; readonly phone: string },
    proof: FormProof,
  ): Promise<Result<unknown, InitiateRefusal | 'invalid_reference' | 'used_link'>> {
    const holdsPhone = referenceHoldsPhone(link.reference, phone);
    if (holdsPhone && link.version === 'v4') return refuse('invalid_reference');
    if (!(await this.nonces.use(link))) return refuse('used_link');
    const { account, amountMinor } = link;
    const reference = attemptReference(link.reference, number);
    const result = await this.pushes.push(
      { account, phone, amountMinor, channel: 'mpesa', reference, origin: 'checkout' },
      proof,
    );
    if (holdsPhone && isNewlyRecorded(result)) this.v3.notePhoneReference(account.merchantId);
    return result;
  }

  private async find(link: CheckoutLink, number: number): Promise<PaymentAttempt | undefined> {
    const { merchantId, mode } = link.account;
    const reference = attemptReference(link.reference, number);
    const { events, state: collection } = await this.queries.execute(
      new FindCollection({ merchantId, mode, reference }),
    );
    const [intent] = events;
    if (!intent || collection.status === 'none') return undefined;
    const posted = events.findLast(({ data }) => 'legs' in data);
    return {
      number,
      collection,
      startedAt: intent.recordedAt,
      ...(posted && { postedAt: posted.recordedAt }),
    };
  }
}
