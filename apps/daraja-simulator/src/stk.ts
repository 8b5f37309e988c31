import { type Clock } from '#domain/kernel';
import { breakOff, HeldAnswers } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Customers } from './customers.js';
import { type Fault, faults, invalidField, refuseWith } from './faults.js';
import { readPush, readQuery } from './fields.js';
import type { Memory } from './memory.js';
import type { Payment, PushRequest } from './payment.js';
import { resultOf } from './payment.js';
import { type ResultCode, resultTexts, scenarioOf } from './scenarios.js';
import type { Settings } from './settings.js';

/** STK push and its query, for numbers that behave well and numbers that do not. */
export class Stk {
  private readonly held = new HeldAnswers();

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly customers: Customers,
  ) {}

  readonly push = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const read = readPush(request.body, this.settings);
    if (!read.ok) return refuseWith(reply, read.refusal);
    const fault = await this.refusalOf(read.value);
    if (fault !== undefined) return refuseWith(reply, fault);

    const payment = await this.accept(read.value);
    const end = this.customers.follow(payment);
    switch (payment.scenario.push) {
      case 'lost':
        return breakOff(reply);
      case 'after-callback':
        await end;
        break;
      case 'slow':
        if (!(await this.held.wait(this.settings.slowAnswerMs))) return breakOff(reply);
        break;
      case 'answered':
      case 'spike-arrest':
      case 'invalid':
      case 'busy':
        break;
    }
    return reply.send({
      MerchantRequestID: payment.push.merchantRequestId,
      CheckoutRequestID: payment.push.checkoutRequestId,
      ResponseCode: '0',
      ResponseDescription: 'Success. Request accepted for processing',
      CustomerMessage: 'Success. Request accepted for processing',
    });
  };

  readonly query = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const read = readQuery(request.body, this.settings);
    if (!read.ok) return refuseWith(reply, read.refusal);
    const payment = this.memory.payments.get(read.value);
    if (payment === undefined) return refuseWith(reply, invalidField('CheckoutRequestID'));
    if (payment.scenario.query === 'busy-twice' && payment.busyQueries < 2) {
      await this.memory.countBusyQuery(payment);
      return refuseWith(reply, faults.beingProcessed);
    }
    if (payment.scenario.query === 'denied-once' && payment.busyQueries < 1) {
      await this.memory.countBusyQuery(payment);
      return reply.send(answerTo(payment, 1037));
    }
    if (payment.scenario.query === 'after-callback') await this.customers.finished(payment);
    const result = resultOf(payment);
    if (result === undefined) return refuseWith(reply, faults.beingProcessed);
    return reply.send(answerTo(payment, result));
  };

  /** Ends the answers that are held back: their connections break. */
  stop(): void {
    this.held.stop();
  }

  private async refusalOf(push: PushRequest): Promise<Fault | undefined> {
    switch (scenarioOf(push.phone).push) {
      case 'invalid':
        return invalidField('PhoneNumber');
      case 'busy':
        return faults.subscriberLocked;
      case 'spike-arrest': {
        const refused = this.memory.spikeArrestsOf(push.phone);
        await this.memory.setSpikeArrests(push.phone, refused < 2 ? refused + 1 : 0);
        return refused < 2 ? faults.spikeArrest : undefined;
      }
      case 'answered':
      case 'after-callback':
      case 'lost':
      case 'slow':
        return undefined;
    }
  }

  private accept(push: PushRequest): Promise<Payment> {
    const { delayMs, slowAnswerMs } = this.settings;
    const acceptedAtMs = this.clock.nowMs();
    const promptAtMs =
      scenarioOf(push.phone).push === 'slow' ? acceptedAtMs + slowAnswerMs : acceptedAtMs;
    return this.memory.accept(push, { acceptedAtMs, promptAtMs, delayMs });
  }
}

/** The answer to a query. */
function answerTo({ push }: Payment, result: ResultCode): object {
  return {
    ResponseCode: '0',
    ResponseDescription: 'The service request has been accepted successfully',
    MerchantRequestID: push.merchantRequestId,
    CheckoutRequestID: push.checkoutRequestId,
    ResultCode: String(result),
    ResultDesc: resultTexts[result],
  };
}
