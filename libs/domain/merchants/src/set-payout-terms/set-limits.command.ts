import { Pipeline } from '#domain/event-sourcing';
import { type Minor, type Mode, ok, parseMinor, refuse, type Result } from '#domain/kernel';
import { type Change, type Json, type ProposalField, type ProposalRow } from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { type MerchantEvent, type PayoutBounds } from '../merchant.events.js';
import { type RegisteredMerchant } from '../merchant.js';
import { MerchantSubject, type WeighedTerms } from '../merchant-subject.js';

/** `automatic_beyond_max`: the limit without a second holder is higher than the limit with one. */
export type LimitsRefusal = 'automatic_beyond_max';

/** All requested bounds of a mode's payouts. */
export interface LimitsDetails {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly bounds: PayoutBounds;
}

/** Sets the bounds of a merchant's payouts from now on. */
export const setLimits: Change<LimitsDetails, undefined, LimitsRefusal | 'unknown_merchant'> = {
  kind: 'limits',
};

type Bound = keyof PayoutBounds;
type WrittenBounds = Partial<Record<Bound, string>>;

/** Each bound, and the meaning of its absence: no bound, or no such payouts. */
const bounds = {
  maxMinor: { field: 'payout_max', without: 'unbounded' },
  maxPerDayMinor: { field: 'payout_day_max', without: 'unbounded' },
  automaticMaxMinor: { field: 'automatic_max', without: 'none' },
  automaticPerDayMinor: { field: 'automatic_day_max', without: 'none' },
} as const satisfies Record<Bound, { readonly field: ProposalField; readonly without: string }>;
const boundNames = Object.keys(bounds) as readonly Bound[];

/** Raising a live limit or automatic amount, or dropping a bound, needs two admins (PEO-30). */
@Injectable()
export class SetLimitsSubject extends MerchantSubject<LimitsDetails, LimitsRefusal> {
  override readonly change = setLimits;

  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- Nest reads the types of its parameters
  constructor(pipeline: Pipeline) {
    super(pipeline);
  }

  override write({ bounds: wanted, ...details }: LimitsDetails): Json {
    return { ...details, bounds: { ...writtenBounds(wanted) } };
  }

  override read(written: Json): LimitsDetails {
    const { bounds: wanted, ...details } = written as unknown as Omit<LimitsDetails, 'bounds'> & {
      readonly bounds: WrittenBounds;
    };
    const parsed = boundNames.flatMap((name) => {
      const { [name]: text } = wanted;
      return text === undefined ? [] : [[name, parseMinor(text)] as const];
    });
    return { ...details, bounds: Object.fromEntries(parsed) };
  }

  protected override aboutOf = ({ mode }: LimitsDetails): string => mode;

  override weighOn(
    { mode, bounds: wanted }: LimitsDetails,
    state: RegisteredMerchant,
  ): Result<WeighedTerms, LimitsRefusal> {
    const { maxMinor, automaticMaxMinor = 0n } = wanted;
    if (maxMinor !== undefined && automaticMaxMinor > maxMinor)
      return refuse('automatic_beyond_max');
    const now = state.limits.find((limits) => limits.mode === mode) ?? {};
    const needsTwo = mode === 'live' && isRaised(wanted, now);
    return ok({ needsTwo, mode, seen: JSON.stringify(writtenBounds(now)) });
  }

  override describe({ mode, bounds: wanted }: LimitsDetails, seen: string): readonly ProposalRow[] {
    const [after, before] = [writtenBounds(wanted), JSON.parse(seen) as WrittenBounds];
    return [
      { field: 'mode', value: mode },
      ...boundNames.map((name) => ({
        field: bounds[name].field,
        value: after[name] ?? '',
        before: before[name] ?? '',
      })),
    ];
  }

  protected override eventOf({ mode, bounds: wanted }: LimitsDetails): MerchantEvent {
    return { type: 'LimitsSet', data: { mode, ...wanted } };
  }
}

/** True unless each bound is at most its previous value. */
export function isRaised(wanted: PayoutBounds, now: PayoutBounds): boolean {
  return boundNames.some((name) => isMore(name, wanted[name], now[name]));
}

function isMore(name: Bound, wanted: Minor | undefined, now: Minor | undefined): boolean {
  if (bounds[name].without === 'none') return (wanted ?? 0n) > (now ?? 0n);
  if (now === undefined) return false;
  return wanted === undefined || wanted > now;
}

function writtenBounds(of: PayoutBounds): WrittenBounds {
  return Object.fromEntries(
    boundNames.flatMap((name) => {
      const { [name]: minor } = of;
      return minor === undefined ? [] : [[name, minor.toString()] as const];
    }),
  );
}
