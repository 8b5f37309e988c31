export {
  type CorrectionEnded,
  type CorrectionEvent,
  correctionEventTypes,
  type CorrectionKey,
  correctionKeyOf,
  type CorrectionPosted,
  type CorrectionProposed,
  correctionStream,
  type CorrectionTerms,
} from './correction.events.js';
export {
  type Correction,
  correctionDecider,
  endsAt as correctionEndsAt,
  type PostedCorrection,
  type RecordedCorrection,
} from './correction.js';
export {
  CorrectionCompletionModule,
  CorrectionEndModule,
  CorrectionsModule,
} from './corrections.module.js';
export {
  CompleteCorrection,
  type CompleteRefusal,
  type Completion,
  CompleteCorrectionHandler,
} from './complete/complete-correction.command.js';
export {
  ConfirmCorrection,
  type ConfirmCorrectionRefusal,
  ConfirmCorrectionHandler,
} from './confirm/confirm-correction.command.js';
export {
  EndCorrection,
  type EndCorrectionRefusal,
  EndCorrectionHandler,
} from './end/end-correction.command.js';
export { debitedWallet } from './legs.js';
export {
  ProposeCorrection,
  ProposeCorrectionHandler,
} from './propose/propose-correction.command.js';
export { checkTerms, type ProposeRefusal } from './propose/propose-correction.decide.js';
