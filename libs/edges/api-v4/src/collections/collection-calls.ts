import {
  type CollectionDetails,
  collectionStream,
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
import { bodyBytes, RequestSeal, type SealedRequest } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '../authentication/caller.js';
import { problem } from '../errors.js';
import { type CreateCollectionDto } from './create-collection.dto.js';

/** The detail of a refused reference. The reference would be part of a stream's name for ever. */
export const phoneInReference = 'reference must not contain the customer’s phone number.';

/** Sends this edge's commands and queries about collections for a caller. */
@Injectable()
export class CollectionCalls {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly requests: RequestSeal,
    private readonly phones: PhoneVault,
  ) {}

  /** Seals the request as evidence. */
  seal(dto: CreateCollectionDto, caller: Caller, request: FastifyRequest): SealedRequest {
    const { merchantId, mode } = caller.credential;
    const { reference, phone } = dto;
    return this.requests.seal(caller, {
      stream: collectionStream({ merchantId, mode, reference }),
      phoneHmac: this.phones.tracesOf(phone).phoneHmac,
      bytes: bodyBytes(request),
    });
  }

  initiate(
    dto: CreateCollectionDto,
    { metadata }: SealedRequest,
  ): Promise<Result<Initiated, InitiateRefusal>> {
    return this.commands.execute(new InitiateCollection(detailsOf(dto), metadata));
  }

  /** Returns the request's fields, by their wire names, that differ from the collection with its reference. */
  differences(dto: CreateCollectionDto, existing: Intent): readonly string[] {
    const details = detailsOf(dto);
    const { phoneHmac } = this.phones.tracesOf(details.phone);
    return namedDifferences(existing, { ...details, phoneHmac });
  }

  /**
   * Refuses a new reference that contains the customer's number, before anything is claimed or recorded. An existing
   * reference is answered as usual.
   * @throws Problem invalid_reference; DependencyUnavailable
   */
  async requireFitReference({ reference, phone }: CreateCollectionDto, caller: Caller) {
    if (!referenceHoldsPhone(reference, phone)) return;
    const { state } = await this.find(caller, reference);
    if (state.status === 'none') throw problem('invalid_reference', { detail: phoneInReference });
  }

  /** Returns the caller's collection with this reference, in the credential's mode. */
  find({ credential: { merchantId, mode } }: Caller, reference: string): Promise<FoundCollection> {
    return this.queries.execute(new FindCollection({ merchantId, mode, reference }));
  }

  /** Returns the result of an earlier create call, or undefined if there is none. */
  async current(caller: Caller, reference: string): Promise<Initiated | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (state.status === 'none' || position === undefined) return undefined;
    return { view: viewOf(state), position, existing: state.intent };
  }

  /** Returns the log position of the collection's newest event, or undefined if the log cannot be read. */
  async positionOf(caller: Caller, reference: string): Promise<Position | undefined> {
    const found = await this.find(caller, reference).catch(() => undefined);
    return found?.position;
  }
}

const wireNames = {
  accountNo: 'account_no',
  phone: 'phone',
  amountMinor: 'amount_minor',
  currency: 'currency',
  channel: 'channel',
} as const satisfies Record<ReturnType<typeof differencesFrom>[number], keyof CreateCollectionDto>;

/** Returns the fields, by their wire names, in which a request differs from the item with its reference. */
export function namedDifferences(...of: Parameters<typeof differencesFrom>): readonly string[] {
  return differencesFrom(...of).map((field) => wireNames[field]);
}

function detailsOf(dto: CreateCollectionDto): CollectionDetails {
  const { phone, channel, reference } = dto;
  return { ...dto.terms.validated(), phone, channel, reference, origin: 'v4' };
}
