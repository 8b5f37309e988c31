import {
  type CommandMetadata,
  type Done,
  type EventRecord,
  type Loaded,
  type Step,
} from '#domain/event-sourcing';
import { type Mode, type Result } from '#domain/kernel';
import { type OpenProposal, type Proposal, type Ruling, type TwoOperators } from './ruling.js';

/** An item whose review two operators decide. Its rulings and events are its own; the protocol is shared. */
export interface ReviewSubject<State, Event extends EventRecord, Refusal extends string> {
  readonly mode: Mode;
  readonly step: (metadata: CommandMetadata) => Step<State, Event>;
  /** The proposal that the newest decision carried out, if any. */
  readonly decidedProposal: (state: State) => string | undefined;
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
  /** Refusals of a ruling that was possible when it was proposed. */
  readonly overtakenBy: ReadonlySet<Refusal>;
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
