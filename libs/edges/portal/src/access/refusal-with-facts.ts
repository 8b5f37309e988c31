import { Problem } from '#shared/http';
import { type Texts } from '../text/texts.js';
import { type Refusal, refusals } from './refusals.js';

/** A refusal whose page shows facts of this request beside the text. */
export class RefusalWithFacts extends Problem {
  constructor(
    reason: Refusal,
    /** Labels and values, in the reader's language. */
    readonly facts: (texts: Texts) => readonly (readonly [string, string])[],
  ) {
    super(refusals[reason]);
  }
}
