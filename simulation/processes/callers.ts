import { DependencyUnavailable } from '#domain/kernel';
import { sealSharedToken } from '#edges/rails';
import { sealToken } from '#shared/signing';
import { Dice } from '../core/dice.js';
import { type Host } from '../core/host.js';
import { type World } from '../core/world.js';
import { type Channel, payoutStreamOf, streamOf } from '../names.js';
import { type Oracle } from '../oracle/oracle.js';
import { type ForgedResult } from '../payout-plan.js';
import { type Forgery } from '../plan.js';
import { hintBody } from '../servers/airtel-bodies.js';
import { type HintSent } from '../servers/airtel-server.js';
import { type RailBooks } from '../servers/books.js';
import { callbackBody } from '../servers/callback-body.js';
import { payoutResultBody } from '../servers/payout-bodies.js';
import { tokenIn } from '../servers/payout-line.js';
import { type PayoutReportSent } from '../servers/payout-server.js';
import { type RailServer, type Sent } from '../servers/rail-server.js';
import { type Api } from './api.js';
import { keyring, railAddress } from './parts.js';

const patienceMs = 10_000;
const untrustedAddress = '203.0.113.9';
const airtelAddress = '198.51.100.7';
const sharedToken = sealSharedToken(keyring, { channel: 'airtel', mode: 'demo' });

/** The callers of `/rails/<token>`: the rail, and untrusted senders. */
export class Callers {
  constructor(
    private readonly world: World,
    private readonly apis: readonly Host<Api>[],
    private readonly oracle: Oracle,
  ) {}

  /** Makes the rail call back once. */
  deliver({ prompt, body, isPayment, label }: Sent): void {
    const dice = new Dice(this.world.seed, label);
    const host = this.apis[dice.between(0, 1)];
    if (!host) return;
    const call = { token: prompt.token, body, address: railAddress, label, dice };
    this.#post(host, call, (isAcknowledged) => {
      if (isAcknowledged && isPayment) prompt.isReported = true;
    });
  }

  /** Makes Airtel call back once, at the address that it has for all pushes. Nothing proves that it is Airtel. */
  deliverHint({ body, label }: HintSent): void {
    const dice = new Dice(this.world.seed, label);
    const host = this.apis[dice.between(0, 1)];
    if (!host) return;
    const call = { token: sharedToken, body, address: airtelAddress, label, dice };
    this.#post(host, call, () => undefined);
  }

  /** Makes the rail report about a payout once. */
  deliverReport({ url, body, label, onDelivered, onAcknowledged }: PayoutReportSent): void {
    const dice = new Dice(this.world.seed, label);
    const host = this.apis[dice.between(0, 1)];
    if (!host) return;
    onDelivered?.();
    const call = { token: tokenIn(url), body, address: railAddress, label, dice };
    this.#post(host, call, (isAcknowledged) => {
      if (isAcknowledged) onAcknowledged?.();
    });
  }

  /** Makes an untrusted sender report about a payout, at an address that it obtained. */
  forgeResult(forged: ForgedResult, resultUrl: string, rail: RailBooks): void {
    const { world } = this;
    const { label, isPaid } = forged;
    const dice = new Dice(world.seed, label);
    const run = (): void => {
      const host = this.apis[forged.api];
      const [named] = rail.ordersOf(payoutStreamOf(forged.payment));
      if (!host || !world.faults.planned(label)) return;
      const names = named ?? { originatorConversationId: 'pp-x', conversationId: 'AG_x' };
      const paid = { amountMinor: named?.amountMinor ?? 100n, atMs: world.nowMs };
      const told = { ...names, receipt: 'FORGED0002', ...(isPaid ? { paid } : {}) };
      const body = payoutResultBody(told, isPaid ? '0' : '2001');
      const token = tokenIn(resultUrl);
      world.tell(() => `an untrusted sender reports ${label} of ${forged.payment}`);
      this.#post(host, { token, body, address: untrustedAddress, label, dice }, () => undefined);
    };
    world.scheduler.add({ dueMs: world.nowMs + forged.afterMs, tie: dice.bits(), run });
  }

  /** @param channel of the collection whose token the sender obtained */
  forge(forgery: Forgery, rail: RailServer, channel: Channel): void {
    const { world } = this;
    const dice = new Dice(world.seed, forgery.label);
    const run = (): void => {
      const host = this.apis[forgery.api];
      const prompt = rail.promptOf(streamOf(forgery.checkoutOf));
      const known =
        this.oracle.railReferenceOf(streamOf(forgery.checkoutOf)) ??
        (prompt?.isReported === true ? prompt.checkoutId : undefined);
      if (!host || !world.faults.planned(forgery.label)) return;
      const ownToken = (reference: string): string => sealToken(keyring, streamOf(reference));
      const token =
        forgery.tokenOf === undefined
          ? 'ab'.repeat(80)
          : channel === 'airtel'
            ? sharedToken
            : ownToken(forgery.tokenOf);
      const paid = {
        amountMinor: rail.prompts[0]?.amountMinor ?? 100n,
        receipt: 'FORGED0001',
        paidAtMs: world.nowMs,
      };
      const resultCode = forgery.isPaid ? '0' : '1032';
      const checkoutId = known ?? 'ws_CO_unheard_of';
      const isHint = channel === 'airtel';
      const body = isHint
        ? hintBody(known ?? 'UNHEARDOF012', forgery.isPaid ? 'TS' : 'TF')
        : callbackBody({ checkoutId, resultCode, ...(forgery.isPaid ? { paid } : {}) });
      world.tell(
        () =>
          `an untrusted sender reports ${checkoutId} (${forgery.isPaid ? 'paid' : 'declined'}) with the token of ${forgery.tokenOf ?? 'nobody'}`,
      );
      this.#post(
        host,
        { token, body, address: untrustedAddress, label: forgery.label, dice },
        () => undefined,
      );
    };
    world.scheduler.add({ dueMs: world.nowMs + forgery.atMs, tie: dice.bits(), run });
  }

  #post(
    host: Host<Api>,
    call: { token: string; body: Buffer; address: string; label: string; dice: Dice },
    onEnd: (isAcknowledged: boolean) => void,
  ): void {
    const { world, oracle } = this;
    let isEnded = false;
    const end = (isAcknowledged: boolean): void => {
      if (isEnded) return;
      isEnded = true;
      onEnd(isAcknowledged);
    };
    const { life } = host;
    world.scheduler.add({
      dueMs: world.nowMs + patienceMs,
      tie: call.dice.bits(),
      run: () => {
        end(false);
      },
    });
    life.later(call.dice.fraction() * 20, call.dice.bits(), () => {
      world.tell(() => `${call.label} reaches ${host.name}`);
      oracle.began(call.label, life);
      const arrival = { token: call.token, bytes: call.body, sourceAddress: call.address };
      const incoming = { ...arrival, correlationId: call.label };
      const received =
        call.token === sharedToken
          ? host.program.receiveShared(incoming)
          : host.program.receive(incoming);
      received.then(
        (reception) => {
          world.tell(() => `${host.name} says of ${call.label}: ${reception}`);
          oracle.received(call.label, call.body, call.token, reception);
          end(reception !== 'lost');
        },
        (error: unknown) => {
          oracle.ended(call.label);
          if (!(error instanceof DependencyUnavailable))
            oracle.defect(`${call.label}: ${String(error)}`);
          end(false);
        },
      );
    });
  }
}
