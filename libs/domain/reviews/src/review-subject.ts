import {
  type CommandMetadata,
  type Decider,
  type Done,
  type EventRecord,
  type Loaded,
  type Step,
} from '#domain/event-sourcing';
import { type Mode, type Result } from '#domain/kernel';
import { type OpenProposal, type Proposal, type Ruling, type TwoOperators } from './ruling.js';

/** The state of an item that can come under review. */
export interface Reviewable {
  /** The proposal that the newest decision carried out, if any. */
  readonly decidedProposal?: string;
  readonly status: string;
}

/** An item whose review two operators decide. Its rulings and events are its own; the protocol is shared. */
export interface ReviewSubject<
  State extends Reviewable,
  Event extends EventRecord,
  Refusal extends string,
> {
  readonly mode: Mode;
  readonly decider: Decider<State, Event>;
  readonly stream: string;
  /** Checks that the ruling could take effect on the item, for any operators. */
  readonly check: (ruling: Ruling, state: State) => Result<unknown, Refusal>;
  /** The same for another item of its kind; undefined if the stream is of another kind. */
  readonly sibling: (stream: string) => ReviewSubject<State, Event, Refusal> | undefined;
  /** Returns the decision's events, or the refusal of the item as it is now. */
  readonly decide: (
    ruling: Ruling,
    deciders: TwoOperators,
    state: State,
  ) => Promise<Result<readonly Event[], Refusal>>;
  /** True if the proposal means something else for the item as it is now. */
  readonly hasChanged?: (proposal: Proposal, loaded: Loaded<State, Event>) => boolean;
  /** Returns a refusal if the records know better than the log. The proposal is then ended. */
  readonly contradicted?: (
    proposal: OpenProposal,
    before: Loaded<State, Event>,
    metadata: CommandMetadata,
  ) => Promise<Refusal | undefined>;
  /** Completes the decision beyond the item's own stream. */
  readonly settle?: (step: Step<State, Event>, done: Done<State>) => Promise<Done<State>>;
}
