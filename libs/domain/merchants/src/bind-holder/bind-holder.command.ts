import { Pipeline } from '#domain/event-sourcing';
import { isSameName, ok, refuse, type Result } from '#domain/kernel';
import { type Change, type ProposalRow } from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { boundTo, holderAsSeen } from '../holders.js';
import { type HolderBound, type MerchantEvent } from '../merchant.events.js';
import { mayActLive, type RegisteredMerchant } from '../merchant.js';
import { MerchantSubject, type WeighedTerms } from '../merchant-subject.js';

/**
 * `unknown_holder`: no credential of the merchant has it. `person_has_holder`: the person is another holder here
 * already, and could decide as one on requests of the other.
 */
export type BindHolderRefusal = 'unknown_holder' | 'person_has_holder';

export type HolderBinding =
  | { readonly holder: string; readonly person: string }
  | { readonly holder: string; readonly system: string };

/** The requested binding. */
export interface BindHolderDetails {
  readonly merchantId: string;
  readonly binding: HolderBinding;
}

/** Binds the holder of a merchant's credentials to a person or system (PEO-8). */
export const bindHolder: Change<
  BindHolderDetails,
  undefined,
  BindHolderRefusal | 'unknown_merchant'
> = { kind: 'holder' };

/** Two admins bind, or rebind, a holder of a live credential (PEO-30). */
@Injectable()
export class BindHolderSubject extends MerchantSubject<BindHolderDetails, BindHolderRefusal> {
  override readonly change = bindHolder;

  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- Nest reads the types of its parameters
  constructor(pipeline: Pipeline) {
    super(pipeline);
  }

  protected override aboutOf = ({ binding }: BindHolderDetails): string => binding.holder;

  override weighOn(
    { binding }: BindHolderDetails,
    state: RegisteredMerchant,
  ): Result<WeighedTerms, BindHolderRefusal> {
    const { holder } = binding;
    if (!state.credentials.some((one) => one.holder === holder)) return refuse('unknown_holder');
    const others = state.holders.filter((one) => !isSameName(one.holder, holder));
    if ('person' in binding && others.some((other) => personOf(other) === binding.person))
      return refuse('person_has_holder');
    const needsTwo = mayActLive(state) && !isBoundSo(binding, state);
    return ok({ needsTwo, seen: holderAsSeen(holder, state) });
  }

  override describe({ binding }: BindHolderDetails, seen: string): readonly ProposalRow[] {
    const value = 'person' in binding ? binding.person : binding.system;
    return [
      { field: 'holder', value: binding.holder },
      { field: 'bound_to', value, before: boundTo(seen) },
    ];
  }

  protected override eventOf(
    { binding }: BindHolderDetails,
    state: RegisteredMerchant,
  ): MerchantEvent | undefined {
    return isBoundSo(binding, state) ? undefined : { type: 'HolderBound', data: binding };
  }
}

/** True if the holder is bound to exactly this, and the binding counts wherever the merchant acts. */
function isBoundSo(binding: HolderBinding, state: RegisteredMerchant): boolean {
  const now = state.bindings.findLast(({ holder }) => holder === binding.holder);
  if (!now || (mayActLive(state) && !now.countsLive)) return false;
  return personOf(now) === personOf(binding) && systemOf(now) === systemOf(binding);
}

function personOf(binding: HolderBinding | HolderBound['data']): string | undefined {
  return 'person' in binding ? binding.person : undefined;
}

function systemOf(binding: HolderBinding | HolderBound['data']): string | undefined {
  return 'system' in binding ? binding.system : undefined;
}
