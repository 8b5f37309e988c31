import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type CollectionDetails,
  type CollectionEvent,
  type CollectionKey,
  differencesFrom,
  FindCollection,
  InitiateCollection,
  type Initiated,
  type InitiateRefusal,
  type Intent,
  PhoneVault,
  referenceHoldsPhone,
} from '#domain/collections';
import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { Keyring } from '#shared/signing';
import { type Caller, metadataOf } from '../authentication/caller.js';
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
    const history = await this.history(caller, reference);
    if (history.length === 0)
      throw problem('invalid_reference', {
        detail: 'reference must not contain the customer’s phone number.',
      });
  }

  /** Oldest first; empty where the merchant has no such reference in this mode. */
  history(
    { credential: { merchantId, mode } }: Caller,
    reference: string,
  ): Promise<readonly RecordedEvent<CollectionEvent>[]> {
    const key: CollectionKey = { merchantId, mode, reference };
    return this.queries.execute(new FindCollection(key));
  }

  /** Where the log stands after a create call. A refused push was recorded too, and who lost a race was told only the state: both are read once more. */
  async positionAfter(
    result: Result<Once<Initiated>, string>,
    caller: Caller,
    reference: string,
  ): Promise<Position | undefined> {
    if (result.ok && result.value.value.position !== undefined) return result.value.value.position;
    if (!result.ok && result.refusal !== 'rail_rejected') return undefined;
    // Where the log cannot be read, the answer stands without its position.
    const history = await this.history(caller, reference).catch(() => []);
    return history.at(-1)?.position;
  }
}

const wireNames = {
  accountNo: 'account_no',
  phone: 'phone',
  amountMinor: 'amount_minor',
  currency: 'currency',
} as const satisfies Record<ReturnType<typeof differencesFrom>[number], keyof CreateCollectionDto>;

function detailsOf(dto: CreateCollectionDto): CollectionDetails {
  const { account } = dto.terms;
  if (!account) throw new TypeError('a collection without an account got past its validation');
  const { phone, channel, reference } = dto;
  return {
    account,
    phone,
    amountMinor: BigInt(dto.amount_minor),
    channel,
    reference,
    origin: 'v4',
  };
}
