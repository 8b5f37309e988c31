export {
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
  type PostedCorrection,
  type RecordedCorrection,
} from './correction.js';
export { CorrectionsModule } from './corrections.module.js';
export { CorrectionCompletionModule } from './correction-completion.module.js';
export {
  CompleteCorrection,
  type CompleteRefusal,
  type Completion,
} from './complete/complete-correction.command.js';
export { CompleteCorrectionHandler } from './complete/complete-correction.handler.js';
export {
  ConfirmCorrection,
  type ConfirmCorrectionRefusal,
} from './confirm/confirm-correction.command.js';
export { ConfirmCorrectionHandler } from './confirm/confirm-correction.handler.js';
export { debitedWallet } from './legs.js';
export { ProposeCorrection } from './propose/propose-correction.command.js';
export { type ProposeRefusal } from './propose/propose-correction.decide.js';
export { ProposeCorrectionHandler } from './propose/propose-correction.handler.js';
