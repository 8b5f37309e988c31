import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type CollectionEvent,
  type CollectionKey,
  FindCollection,
  InitiateCollection,
  type Initiated,
  type InitiateRefusal,
} from '#collections';
import { type Position, type RecordedEvent } from '#event-sourcing';
import { type Result } from '#kernel';
import { Keyring } from '#signing';
import { type Caller, metadataOf } from '../authentication/caller.js';
import { type Once } from '../idempotency/idempotency.js';
import { type CreateCollectionDto } from './create-collection.dto.js';

/** What this edge asks the collections for, in a caller's name. */
@Injectable()
export class CollectionCalls {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly keyring: Keyring,
  ) {}

  initiate(dto: CreateCollectionDto, caller: Caller): Promise<Result<Initiated, InitiateRefusal>> {
    const { account } = dto.terms;
    if (!account) throw new TypeError('a collection without an account got past its validation');
    const { phone, channel, reference } = dto;
    const amountMinor = BigInt(dto.amount_minor);
    return this.commands.execute(
      new InitiateCollection(
        { account, phone, amountMinor, channel, reference, origin: 'v4' },
        metadataOf(caller, this.keyring),
      ),
    );
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
