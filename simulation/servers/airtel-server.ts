import { type PushRequest } from '#domain/rails';
import { Dice } from '../core/dice.js';
import { type World } from '../core/world.js';
import {
  airtelAnswer,
  type AirtelAnswer,
  airtelCode,
  gatewayPage,
  hintBody,
  tooManyRequests,
} from './airtel-bodies.js';
import { type Fate, fateOf } from './customers.js';
import { type TakenPush } from './rail-server.js';

/** A push that Airtel took, in its own books. */
export interface AirtelPush extends TakenPush {
  /** Our account reference, by which Airtel knows the push. */
  readonly id: string;
  readonly fate: Fate;
  /** Before that time an enquiry does not find the push. */
  readonly knownAtMs: number;
  /** The digits of the code with which it declined, until the customer pays. */
  declinedWith?: string;
  /** True while it does not know itself what became of the push. */
  isAmbiguous: boolean;
}

/** A callback in transit. */
export interface HintSent {
  readonly body: Buffer;
  readonly label: string;
}

/** The meaning of an answer to an enquiry, for Airtel's own books. */
export interface Enquired {
  readonly answer: AirtelAnswer;
  readonly says: 'paid' | 'declined' | 'nothing';
}

/** Before the schedule's hostility is applied. */
const odds = {
  refused: 0.06,
  unclear: 0.08,
  lost: 0.2,
  twice: 0.15,
  late: 0.15,
  liar: 0.15,
  busy: 0.08,
  page: 0.05,
  mute: 0.1,
  lie: 0.15,
  another: 0.1,
};

/** The codes that refuse a push before a prompt was shown (AIR-3). */
const refusals = ['003', '004', '010', '026'] as const;
/** The codes of a decline, by what Daraja's code in the customer's fate means. */
const declines: Readonly<Record<string, string>> = {
  '1032': '008',
  '1': '007',
  '2001': '002',
  '1037': '005',
  '1001': '009',
};

/** Airtel's collections: the pushes that it took, its customers' acts, its hints and its answers to enquiries. */
export class AirtelServer {
  readonly pushes: AirtelPush[] = [];

  constructor(
    private readonly world: World,
    private readonly deliver: (sent: HintSent) => void,
    private readonly onPush: (request: PushRequest) => void,
  ) {}

  pushOf(stream: string): AirtelPush | undefined {
    return this.pushes.find((push) => push.stream === stream);
  }

  /** Takes a push, or refuses it so that no prompt is shown. Airtel takes an id once. */
  push(request: PushRequest): AirtelAnswer {
    const { world } = this;
    this.onPush(request);
    const { stream, amountMinor, accountReference: id } = request;
    const dice = new Dice(world.seed, `airtel takes ${stream}`);
    if (this.#of(id)) return airtelAnswer({ id, code: 'ESB000041', isSuccess: false });
    if (dice.chance(odds.refused)) {
      const code = airtelCode('collections', dice.pick(refusals));
      return airtelAnswer({ code, isSuccess: false });
    }
    const push: AirtelPush = {
      stream,
      id,
      receipt: `CI${String(this.pushes.length + 1).padStart(8, '0')}`,
      amountMinor,
      fate: fateOf(world.seed, stream),
      knownAtMs: world.nowMs + (dice.chance(0.3) ? dice.fraction() * 20_000 : 0),
      isReported: false,
      heardDeclines: 0,
      isAmbiguous: false,
    };
    this.pushes.push(push);
    this.#planActs(push);
    if (world.faults.happens(`push ${stream}: unclear answer`, odds.unclear))
      return dice.chance(0.5)
        ? gatewayPage()
        : airtelAnswer({ id, code: 'ROUTER117', isSuccess: false });
    const digits = dice.chance(0.5) ? '006' : '001';
    return airtelAnswer({ id, state: 'SUCCESS', code: airtelCode('collections', digits) });
  }

  /**
   * Answers an enquiry. Airtel may be too busy, may not find the push, may say that a payment failed, before the customer
   * has paid and after, and may answer about another push.
   * @param label of the question
   */
  enquire(id: string, label: string): Enquired {
    const { faults, seed } = this.world;
    const happens = (what: keyof typeof odds): boolean =>
      faults.happens(`${label}: ${what}`, odds[what]);
    const nothing = (answer: AirtelAnswer): Enquired => ({ answer, says: 'nothing' });
    if (happens('busy')) return nothing(tooManyRequests());
    if (happens('page')) return nothing(gatewayPage());
    const push = this.#of(id);
    if (!push || this.world.nowMs < push.knownAtMs)
      return nothing(airtelAnswer({ code: airtelCode('collections', '025'), isSuccess: false }));
    const dice = new Dice(seed, `${label}: open`);
    if (happens('mute')) return nothing(openAnswer(id, dice));
    const other = this.pushes.find((one) => one !== push);
    if (other && happens('another')) return nothing(this.#answerAbout(other, dice).answer);
    if (happens('lie')) return declined(id, '005');
    return this.#answerAbout(push, dice);
  }

  /** Records that an answer has reached the asking process. */
  heard(id: string, { answer, says }: Enquired): void {
    const push = this.#of(id);
    if (!push || answer.status !== 200) return;
    push.heardAtMs = this.world.nowMs;
    if (says === 'declined') push.heardDeclines += 1;
  }

  #of(id: string): AirtelPush | undefined {
    return this.pushes.find((push) => push.id === id);
  }

  #answerAbout(push: AirtelPush, dice: Dice): Enquired {
    const { id, receipt, paidAtMs, declinedWith, isAmbiguous } = push;
    if (paidAtMs !== undefined) {
      const code = airtelCode('collections', '001');
      return { answer: airtelAnswer({ id, state: 'TS', code, moneyId: receipt }), says: 'paid' };
    }
    if (isAmbiguous) return { answer: openAnswer(id, dice), says: 'nothing' };
    if (declinedWith !== undefined) return declined(id, declinedWith);
    const code = airtelCode('collections', '006');
    return { answer: airtelAnswer({ id, state: 'TIP', code }), says: 'nothing' };
  }

  #planActs(push: AirtelPush): void {
    const { declines: refused, paysAfterMs } = push.fate;
    for (const { afterMs, code } of refused)
      this.#after(afterMs, () => {
        this.#decline(push, declines[code]);
      });
    if (paysAfterMs !== undefined)
      this.#after(paysAfterMs, () => {
        this.#pay(push);
      });
    this.#lie(push);
  }

  /** @param digits undefined for a code of which nothing is known */
  #decline(push: AirtelPush, digits: string | undefined): void {
    const { world } = this;
    if (push.paidAtMs !== undefined) return;
    push.isAmbiguous = digits === undefined;
    if (digits === undefined) return;
    push.declinedWith = digits;
    world.tell(() => `the customer of ${push.stream} does not pay (${digits})`);
    this.#hint(push, 'TF', `decline at ${world.nowMs}`);
  }

  #pay(push: AirtelPush): void {
    const { world } = this;
    // Airtel takes the amount of the push, never another.
    [push.paidAtMs, push.paidMinor] = [world.nowMs, push.amountMinor];
    world.tell(() => `the customer of ${push.stream} pays ${push.amountMinor}`);
    this.#hint(push, 'TS', 'payment');
  }

  /** A hint may say anything at any time, whatever the customer does. */
  #lie(push: AirtelPush): void {
    const label = `lying hint for ${push.stream}`;
    const dice = new Dice(this.world.seed, label);
    if (!this.world.faults.happens(label, odds.liar)) return;
    const state = dice.pick(['TS', 'TS', 'TF', 'TIP']);
    this.#after(dice.fraction() * dice.pick([500, 60_000, 600_000]), () => {
      this.deliver({ body: hintBody(push.id, state), label: `${label} (${state})` });
    });
  }

  /** Hints may be lost, arrive twice or arrive hours late. None is sent again. */
  #hint(push: AirtelPush, state: string, what: string): void {
    const { faults, seed } = this.world;
    const label = `hint of ${what} for ${push.stream}`;
    const dice = new Dice(seed, label);
    const lateMs = faults.happens(`${label}: late`, odds.late)
      ? dice.between(60_000, 10_800_000)
      : 0;
    const afterMs = dice.fraction() * 2000 + lateMs;
    const againMs = dice.chance(0.5) ? afterMs + dice.fraction() * 20 : dice.fraction() * 600_000;
    if (faults.happens(`${label}: lost`, odds.lost)) return;
    const body = hintBody(push.id, state);
    this.#after(afterMs, () => {
      this.deliver({ body, label });
    });
    if (faults.happens(`${label}: twice`, odds.twice))
      this.#after(againMs, () => {
        this.deliver({ body, label: `${label}, again` });
      });
  }

  #after(ms: number, run: () => void): void {
    const { world } = this;
    const tie = new Dice(world.seed, `airtel ${world.nowMs}`).bits();
    world.scheduler.add({ dueMs: world.nowMs + ms, tie, run });
  }
}

function declined(id: string, digits: string): Enquired {
  const code = airtelCode('collections', digits);
  return { answer: airtelAnswer({ id, state: 'TF', code, isSuccess: false }), says: 'declined' };
}

/** Returns an answer that settles nothing: an ambiguous state, or any state beside an ambiguous code (AIR-5). */
function openAnswer(id: string, dice: Dice): AirtelAnswer {
  const [state, digits] = dice.pick<readonly [string, string]>([
    ['TA', '000'],
    ['TF', '000'],
    ['TF', '006'],
  ]);
  return airtelAnswer({ id, state, code: airtelCode('collections', digits), isSuccess: false });
}
