import { type QueryOutcome, type RailPayment } from '#domain/rails';
import { AirtelCallbacks } from '#edges/rail-airtel';
import {
  type Asked,
  type AnsweredAtOnce,
  type Callback,
  type RailPayouts,
  RailTable,
} from '#edges/rails';
import { invariants } from '../oracle/invariants.js';
import { keyring, mpesaCallbacks } from '../processes/parts.js';
import { type AirtelAnswer } from '../servers/airtel-bodies.js';
import { SimulatedAirtel } from '../servers/airtel-line.js';
import { SimulatedAirtelPayouts } from '../servers/airtel-payout-line.js';
import { SimulatedRail } from '../servers/rail.js';
import { type Bug } from './bug.js';

/** Believes a hint as it believes M-Pesa's callbacks. */
class BelievedHints extends AirtelCallbacks {
  override isOwnAddress(): boolean {
    return true;
  }

  override readCallback(bytes: Uint8Array): Callback | undefined {
    const callback = super.readCallback(bytes);
    if (!callback) return undefined;
    const { railReference, verdict } = callback;
    return { railReference, verdict };
  }
}

/** Takes each answer for one about the id that was asked about. */
class AnyId extends SimulatedAirtel {
  protected override readEnquiry(id: string, { status, body }: AirtelAnswer): QueryOutcome {
    return super.readEnquiry(id, { status, body: body.replace(/"id":"\w+"/, `"id":"${id}"`) });
  }
}

/** Reads a state without the code beside it. */
class StateAlone extends SimulatedAirtel {
  protected override readEnquiry(id: string, { status, body }: AirtelAnswer): QueryOutcome {
    return super.readEnquiry(id, { status, body: withoutCode(body) });
  }
}

class PayoutStateAlone extends SimulatedAirtelPayouts {
  override async askAboutPayout(
    question: Parameters<RailPayouts['askAboutPayout']>[0],
  ): Promise<Asked | AnsweredAtOnce> {
    const answer = await super.askAboutPayout(question);
    if (typeof answer === 'string') return answer;
    return { raw: Buffer.from(withoutCode(Buffer.from(answer.raw).toString())) };
  }
}

/** Removes the codes that say that the state beside them is open. */
function withoutCode(body: string): string {
  return body.replace(/"response_code":"DP00[89]00001(?:000|006|014|017)",/, '');
}

/** Asks M-Pesa about every collection. */
class AlwaysMpesa extends SimulatedRail {
  override query(payment: RailPayment): Promise<QueryOutcome> {
    return this.ask(payment);
  }
}

/** Treats Airtel as a rail that names its pushes itself. */
class OwnNames extends AirtelCallbacks {
  override readonly usesOurReference = undefined as unknown as true;
}

/** Takes Airtel's "success" for the end of a payout. */
class SuccessPays extends SimulatedAirtelPayouts {
  override async askAboutPayout(
    question: Parameters<RailPayouts['askAboutPayout']>[0],
  ): Promise<Asked | AnsweredAtOnce> {
    const answer = await super.askAboutPayout(question);
    if (typeof answer === 'string') return answer;
    const said = Buffer.from(answer.raw).toString();
    return { raw: Buffer.from(said.replace('"TIP"', '"TS"').replace('00001006"', '00001001"')) };
  }
}

export const enquiringBugs: readonly Bug[] = [
  {
    name: 'hint-settles',
    does: 'a callback of Airtel is believed without an enquiry',
    breaks: [invariants.rightMoney, invariants.completedWasPaid],
    parts: () => ({ rails: () => new RailTable([mpesaCallbacks, new BelievedHints()]) }),
  },
  {
    name: 'answer-about-another',
    does: 'the answer to an enquiry about another id counts',
    breaks: [invariants.rightMoney, invariants.declineIsRepeated],
    parts: (_standard, fixture) => ({
      rail: (life) => new SimulatedRail(life, fixture, keyring, new AnyId(life, fixture.airtel)),
    }),
  },
  {
    name: 'open-code-ignored',
    does: 'an enquiry’s state counts although an ambiguous code is beside it',
    breaks: [invariants.declineIsRepeated],
    parts: (_standard, fixture) => ({
      rail: (life) =>
        new SimulatedRail(life, fixture, keyring, new StateAlone(life, fixture.airtel)),
    }),
  },
  {
    name: 'payout-open-code-ignored',
    does: 'the same for payouts over Airtel',
    breaks: [invariants.declineIsRepeated],
    parts: (_standard, { airtelPayouts }) => ({
      airtelPayoutLine: (life) => new PayoutStateAlone(life, airtelPayouts, keyring),
    }),
  },
  {
    name: 'payout-in-process-is-paid',
    does: 'a payout that Airtel still processes counts as paid, since Airtel took the order with "success"',
    breaks: [invariants.payoutsMatchTheRail],
    parts: (_standard, { airtelPayouts }) => ({
      airtelPayoutLine: (life) => new SuccessPays(life, airtelPayouts, keyring),
    }),
  },
  {
    name: 'other-rail-asked',
    does: 'M-Pesa is asked about the collections of Airtel',
    breaks: [invariants.askedBeforeReview, invariants.askableIsHeard],
    parts: (_standard, fixture) => ({ rail: (life) => new AlwaysMpesa(life, fixture, keyring) }),
  },
  {
    name: 'lost-push-unasked',
    does: 'a push over Airtel whose answer was lost is not asked about by our own reference',
    breaks: [invariants.askedBeforeReview, invariants.askableIsHeard],
    parts: () => ({ rails: () => new RailTable([mpesaCallbacks, new OwnNames()]) }),
  },
];
