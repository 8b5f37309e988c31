import { metadataOf } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type CollectionDetails,
  differencesFrom,
  FindCollection,
  type FoundCollection,
  InitiateCollection,
  type Initiated,
  type InitiateRefusal,
  type Intent,
  PhoneVault,
  referenceHoldsPhone,
  viewOf,
} from '#domain/collections';
import { type Position } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { Keyring } from '#shared/signing';
import { type Caller } from '../authentication/caller.js';
import { problem } from '../errors.js';
import { type Once } from '../idempotency/idempotency.js';
import { type CreateCollectionDto } from './create-collection.dto.js';

/** What this edge asks the collections for, in a caller's name. */
@Injectable()
export class CollectionCalls {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly keyring: Keyring,
    private readonly phones: PhoneVault,
  ) {}

  initiate(dto: CreateCollectionDto, caller: Caller): Promise<Result<Initiated, InitiateRefusal>> {
    return this.commands.execute(
      new InitiateCollection(detailsOf(dto), metadataOf(caller, this.keyring)),
    );
  }

  /** The fields of the request, by their names on the wire, that are not those of the collection with its reference. */
  differences(dto: CreateCollectionDto, existing: Intent): readonly string[] {
    const details = detailsOf(dto);
    const { phoneHmac } = this.phones.tracesOf(details.phone);
    return differencesFrom(existing, { ...details, phoneHmac }).map((field) => wireNames[field]);
  }

  /**
   * A new reference that holds the customer's number is refused before anything is claimed or recorded; one that
   * exists is answered as ever.
   * @throws Problem invalid_reference; DependencyUnavailable
   */
  async requireFitReference({ reference, phone }: CreateCollectionDto, caller: Caller) {
    if (!referenceHoldsPhone(reference, phone)) return;
    const { state } = await this.find(caller, reference);
    if (state.status === 'none')
      throw problem('invalid_reference', {
        detail: 'reference must not contain the customer’s phone number.',
      });
  }

  /** The caller's collection of this reference, in the mode of the credential. */
  find({ credential: { merchantId, mode } }: Caller, reference: string): Promise<FoundCollection> {
    return this.queries.execute(new FindCollection({ merchantId, mode, reference }));
  }

  /** What an earlier create call came to; undefined where there is none. */
  async current(caller: Caller, reference: string): Promise<Initiated | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (state.status === 'none' || position === undefined) return undefined;
    return { view: viewOf(state), position, existing: state.intent };
  }

  /** Where the log stands after a create call. A refused push was recorded, too: its refusal names no position. */
  async positionAfter(
    result: Result<Once<Initiated>, string>,
    caller: Caller,
    reference: string,
  ): Promise<Position | undefined> {
    if (result.ok) return result.value.value.position;
    if (result.refusal !== 'rail_rejected') return undefined;
    // Where the log cannot be read, the answer stands without its position.
    const found = await this.find(caller, reference).catch(() => undefined);
    return found?.position;
  }
}

const wireNames = {
  accountNo: 'account_no',
  phone: 'phone',
  amountMinor: 'amount_minor',
  currency: 'currency',
} as const satisfies Record<ReturnType<typeof differencesFrom>[number], keyof CreateCollectionDto>;

function detailsOf(dto: CreateCollectionDto): CollectionDetails {
  const { account, amount } = dto.terms;
  if (!account || !amount.ok)
    throw new TypeError('a collection without its terms got past its validation');
  const { phone, channel, reference } = dto;
  return {
    account,
    phone,
    amountMinor: amount.value,
    channel,
    reference,
    origin: 'v4',
  };
}
