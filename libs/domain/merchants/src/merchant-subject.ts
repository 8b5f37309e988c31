import { type CommandMetadata, type Loaded, type Pipeline } from '#domain/event-sourcing';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import {
  type Decided,
  type DecidedRefusal,
  type Json,
  mayDecide,
  ProposalSubject,
  type TwoAdmins,
  type Weighed,
  type WeighedChange,
} from '#domain/proposals';
import { type MerchantEvent, merchantStream } from './merchant.events.js';
import {
  isCarriedOut,
  type Merchant,
  merchantDecider,
  type RegisteredMerchant,
} from './merchant.js';

export interface MerchantDetails {
  readonly merchantId: string;
}

/** The result of weighing a change against a merchant's terms. */
export interface WeighedTerms extends Weighed {
  readonly mode?: Mode;
}

/** A change to a merchant's terms: one event of its stream. */
export abstract class MerchantSubject<
  Details extends MerchantDetails,
  Refusal extends string,
> extends ProposalSubject<Details, undefined, Refusal | 'unknown_merchant'> {
  constructor(protected readonly pipeline: Pipeline) {
    super();
  }

  override write(details: Details): Json {
    return details as unknown as Json;
  }

  override read(written: Json): Details {
    return written as unknown as Details;
  }

  /** The changed thing of the merchant, without the merchant's id. */
  protected abstract aboutOf(details: Details): string;
  abstract weighOn(details: Details, state: RegisteredMerchant): Result<WeighedTerms, Refusal>;
  /** The event, without the admins; undefined if nothing changes. */
  protected abstract eventOf(
    details: Details,
    state: RegisteredMerchant,
  ): MerchantEvent | undefined;

  override async weigh(
    details: Details,
  ): Promise<Result<WeighedChange, Refusal | 'unknown_merchant'>> {
    const { merchantId } = details;
    const { state } = await this.pipeline.load(this.stepOf(details));
    if (state.kind === 'none') return refuse('unknown_merchant');
    const weighed = this.weighOn(details, state);
    if (!weighed.ok) return weighed;
    return ok({ ...weighed.value, merchantId, about: `${merchantId} ${this.aboutOf(details)}` });
  }

  override async carryOut(
    details: Details,
    decided: Decided,
    metadata: CommandMetadata,
  ): Promise<Result<undefined, Refusal | 'unknown_merchant' | DecidedRefusal>> {
    const step = { ...this.stepOf(details), metadata };
    const before = await this.pipeline.load(step);
    const first = this.decide({ details, decided }, before.state);
    if (!first.ok) return first;
    const changes = first.value.length > 0;
    if (changes && this.isRecordedFirst(details, before.state))
      await this.record(details, revisionOf(before));
    const done = await this.pipeline.run(
      step,
      (state) => this.decide({ details, decided }, state),
      before,
    );
    if (!done.ok) return done;
    const { appended } = done.value;
    if (appended) await this.record(details, appended.revision);
    return ok(undefined);
  }

  /** Decides on one state, in this order: carried out before, refused, too few people, changed. */
  decide(
    { details, decided }: { readonly details: Details; readonly decided: Decided },
    state: Merchant,
  ): Result<readonly MerchantEvent[], Refusal | 'unknown_merchant' | DecidedRefusal> {
    if (state.kind === 'none') return refuse('unknown_merchant');
    if (isCarriedOut(decided, state)) return ok([]);
    const weighed = this.weighOn(details, state);
    if (!weighed.ok) return weighed;
    const may = mayDecide(decided, weighed.value);
    if (!may.ok) return may;
    const event = this.eventOf(details, state);
    return ok(event === undefined ? [] : [withAdmins(event, may.value)]);
  }

  /**
   * True if the records may get the change before its event: if the append is then refused, the change does no harm.
   */
  protected isRecordedFirst(_details: Details, _state: Merchant): boolean {
    return false;
  }

  /**
   * Writes the change to the records, so that it counts before the views have read its event.
   * @param revision of its event or, before the append, of the stream: a change that is appended meanwhile wins
   */
  protected record(_details: Details, _revision: bigint): Promise<void> {
    return Promise.resolve();
  }

  private stepOf({ merchantId }: Details) {
    return { decider: merchantDecider, stream: merchantStream(merchantId) };
  }
}

function revisionOf({ revision }: Pick<Loaded<Merchant, MerchantEvent>, 'revision'>): bigint {
  return revision === 'no_stream' ? 0n : revision;
}

function withAdmins(event: MerchantEvent, admins: Partial<TwoAdmins>): MerchantEvent {
  return { ...event, data: { ...event.data, ...admins } } as MerchantEvent;
}
