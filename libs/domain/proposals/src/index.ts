export { Admins, type Standing } from './admins.js';
export {
  type Decided,
  type DecidedRefusal,
  mayDecide,
  type TwoAdmins,
  type Weighed,
} from './decided.js';
export {
  DecideProposal,
  type DecidedProposal,
  DecideProposalHandler,
  type DecideProposalRefusal,
} from './decide-proposal.command.js';
export { Propose, type Proposed, ProposeHandler, type ProposeRefusal } from './propose.command.js';
export {
  type Json,
  type OpenProposal,
  type Proposal,
  type ProposalField,
  type ProposalKind,
  type ProposalOutcome,
  type ProposalRow,
  Proposals,
} from './proposal.js';
export { ProposalsModule } from './proposals.module.js';
export { type Change, ProposalSubject, ProposalSubjects, type WeighedChange } from './subject.js';
