import { Pipeline } from '#domain/event-sourcing';
import { type Mode, ok, type Result } from '#domain/kernel';
import { type Change, type ProposalRow } from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { type Destination, type MerchantEvent } from '../merchant.events.js';
import { type RegisteredMerchant } from '../merchant.js';
import { MerchantSubject, type WeighedTerms } from '../merchant-subject.js';

/** The only numbers that may be paid, as requested; absent if any may. */
export interface DestinationsDetails {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly destinations?: readonly Destination[];
}

/** Sets the only numbers that a merchant may pay, or removes that restriction. */
export const setDestinations: Change<DestinationsDetails, undefined, 'unknown_merchant'> = {
  kind: 'destinations',
};

/** Means every number, in a proposal's rows. */
const any = '*';

/** Adding a number to a live list, or removing the list, needs two admins (PEO-30). */
@Injectable()
export class SetDestinationsSubject extends MerchantSubject<DestinationsDetails, never> {
  override readonly change = setDestinations;

  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- Nest reads the types of its parameters
  constructor(pipeline: Pipeline) {
    super(pipeline);
  }

  protected override aboutOf = ({ mode }: DestinationsDetails): string => mode;

  override weighOn(
    { mode, destinations }: DestinationsDetails,
    state: RegisteredMerchant,
  ): Result<WeighedTerms, never> {
    const now = state.destinations.find((set) => set.mode === mode)?.destinations;
    const needsTwo = mode === 'live' && isWider(destinations, now);
    return ok({ needsTwo, mode, seen: JSON.stringify(now ?? null) });
  }

  override describe(
    { mode, destinations }: DestinationsDetails,
    seen: string,
  ): readonly ProposalRow[] {
    const before = (JSON.parse(seen) as readonly Destination[] | null) ?? undefined;
    return [
      { field: 'mode', value: mode },
      { field: 'destinations', value: masked(destinations), before: masked(before) },
      // Two numbers may have one mask: a list alone would hide that one is new.
      ...changeRow('destinations_added', destinations, before),
      ...changeRow('destinations_removed', before, destinations),
    ];
  }

  protected override eventOf({ mode, destinations }: DestinationsDetails): MerchantEvent {
    const named = destinations === undefined ? {} : { destinations };
    return { type: 'DestinationsSet', data: { mode, ...named } };
  }
}

/**
 * True if a number may be paid that could not be before. A first list is narrower, because any number could be paid
 * before.
 */
export function isWider(
  wanted: readonly Destination[] | undefined,
  now: readonly Destination[] | undefined,
): boolean {
  if (now === undefined) return false;
  const known = new Set(now.map(({ phoneHmac }) => phoneHmac));
  return wanted === undefined || wanted.some(({ phoneHmac }) => !known.has(phoneHmac));
}

function changeRow(
  field: 'destinations_added' | 'destinations_removed',
  of: readonly Destination[] = [],
  others: readonly Destination[] = [],
): readonly ProposalRow[] {
  const known = new Set(others.map(({ phoneHmac }) => phoneHmac));
  const changed = of.filter(({ phoneHmac }) => !known.has(phoneHmac));
  return changed.length === 0 ? [] : [{ field, value: masked(changed) }];
}

function masked(destinations: readonly Destination[] | undefined): string {
  return destinations?.map(({ phoneMasked }) => phoneMasked).join(', ') ?? any;
}
