import { Pipeline } from '#domain/event-sourcing';
import { type Mode, ok, parseMinor, type Result } from '#domain/kernel';
import { type FeeSchedule } from '#domain/ledger';
import { type Change, type Json, type ProposalRow } from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { type MerchantEvent } from '../merchant.events.js';
import { type RegisteredMerchant } from '../merchant.js';
import { MerchantSubject, type WeighedTerms } from '../merchant-subject.js';

/** The requested fee. An intent that is already recorded keeps its fee. */
export interface FeeDetails {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly feeSchedule: FeeSchedule;
}

/** Sets a merchant's fee from now on. */
export const setFeeSchedule: Change<FeeDetails, undefined, 'unknown_merchant'> = { kind: 'fee' };

interface WrittenFee {
  readonly basisPoints: number;
  readonly flatMinor: string;
}

/** Raising a live fee needs two admins (PEO-30). */
@Injectable()
export class SetFeeScheduleSubject extends MerchantSubject<FeeDetails, never> {
  override readonly change = setFeeSchedule;

  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- Nest reads the types of its parameters
  constructor(pipeline: Pipeline) {
    super(pipeline);
  }

  override write({ feeSchedule, ...details }: FeeDetails): Json {
    return { ...details, feeSchedule: { ...writtenFee(feeSchedule) } };
  }

  override read(written: Json): FeeDetails {
    const { feeSchedule, ...details } = written as unknown as Omit<FeeDetails, 'feeSchedule'> & {
      readonly feeSchedule: WrittenFee;
    };
    const { basisPoints, flatMinor } = feeSchedule;
    return { ...details, feeSchedule: { basisPoints, flatMinor: parseMinor(flatMinor) } };
  }

  protected override aboutOf = ({ mode }: FeeDetails): string => mode;

  override weighOn(
    { mode, feeSchedule }: FeeDetails,
    state: RegisteredMerchant,
  ): Result<WeighedTerms, never> {
    const now = feeNow(mode, state);
    const needsTwo = mode === 'live' && isHigherFee(feeSchedule, now);
    return ok({ needsTwo, mode, seen: JSON.stringify(writtenFee(now)) });
  }

  override describe({ mode, feeSchedule }: FeeDetails, seen: string): readonly ProposalRow[] {
    const before = JSON.parse(seen) as WrittenFee;
    const { basisPoints, flatMinor } = writtenFee(feeSchedule);
    return [
      { field: 'mode', value: mode },
      {
        field: 'basis_points',
        value: String(basisPoints),
        before: String(before.basisPoints),
      },
      { field: 'flat_minor', value: flatMinor, before: before.flatMinor },
    ];
  }

  protected override eventOf({ mode, feeSchedule }: FeeDetails): MerchantEvent {
    return { type: 'FeeScheduleSet', data: { mode, ...feeSchedule } };
  }
}

/** A merchant pays nothing until a fee is set. */
function feeNow(mode: Mode, state: RegisteredMerchant): FeeSchedule {
  const { basisPoints, flatMinor } = state.fees.find((fee) => fee.mode === mode) ?? {
    basisPoints: 0,
    flatMinor: 0n,
  };
  return { basisPoints, flatMinor };
}

/**
 * True unless no amount costs more than before, that is, unless neither part is higher. A higher part never offsets a
 * lower one, since for some amount it costs more.
 */
export function isHigherFee(fee: FeeSchedule, before: FeeSchedule): boolean {
  return fee.basisPoints > before.basisPoints || fee.flatMinor > before.flatMinor;
}

function writtenFee({ basisPoints, flatMinor }: FeeSchedule): WrittenFee {
  return { basisPoints, flatMinor: flatMinor.toString() };
}
