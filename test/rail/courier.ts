import { type AnsweredPush, type Callback, type Prompt } from '#edges/rails';
import { type QueryOutcome, type RailPayment } from '#domain/rails';
import { type Mode } from '#domain/kernel';
import { lostPhone, PigeonRail } from './pigeon.js';

/** A rail for tests that knows each push by our account reference and calls back at one address for all. */
export class CourierRail extends PigeonRail {
  override readonly channel = 'courier';
  readonly usesOurReference = true;
  /** True while answers to pushes are lost. */
  losesAnswers = false;

  override push(prompt: Prompt): Promise<AnsweredPush> {
    const { accountReference: railReference } = prompt;
    this.prompts.push({ ...prompt, railReference });
    return Promise.resolve(
      this.losesAnswers || prompt.phone === lostPhone
        ? { kind: 'unknown', late: Promise.resolve(undefined) }
        : { kind: 'accepted', railReference },
    );
  }

  override async query(payment: Omit<RailPayment, 'channel'>): Promise<QueryOutcome> {
    const outcome = await super.query(payment);
    const receipt = `MP.${payment.railReference}`;
    return outcome.kind === 'paid' ? { ...outcome, receipt } : outcome;
  }

  /** Its callbacks are the reference alone, and say that money may have arrived. */
  override readCallback(bytes: Uint8Array): Callback | undefined {
    const railReference = Buffer.from(bytes).toString();
    return /^[0-9A-V]{12}$/.test(railReference)
      ? { railReference, verdict: { kind: 'paid', resultCode: 'paid' }, isAmountUnreadable: true }
      : undefined;
  }

  override isOwnAddress(_mode: Mode, _address: string | undefined): boolean {
    return false;
  }
}
