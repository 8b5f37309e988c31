import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { callerAddress, httpErrors, Problem, readBody, WithoutAuthentication } from '#shared/http';
import { Metrics } from '#infra/runtime';
import { type FastifyRequest } from 'fastify';
import { CallbackKeys } from './callback-keys.js';
import { CallbackReceiver, type IncomingCallback } from './callback-receiver.js';
import { PaymentValidation } from '../notices/payment-validation.js';
import { UnknownKeyCallbacks } from './unknown-key-callbacks.js';

/**
 * Receives the rails' callbacks. The path contains the token and is never logged. At most 64 KiB are read; a larger
 * body gets a 413 before it reaches this controller.
 */
@Controller('rails')
export class CallbackController {
  private readonly callbacks;

  constructor(
    private readonly receiver: CallbackReceiver,
    private readonly unknownKeys: UnknownKeyCallbacks,
    private readonly keys: CallbackKeys,
    private readonly validation: PaymentValidation,
    metrics: Metrics,
  ) {
    this.callbacks = metrics.counter({
      name: 'rail_callbacks_total',
      help: 'Callbacks of the rail, by outcome',
      labels: ['outcome'],
    });
  }

  @Post(':token')
  @HttpCode(200)
  @WithoutAuthentication(
    'the rail signs nothing; the token names the collection, a query corroborates',
  )
  async receive(@Param('token') token: string, @Req() request: FastifyRequest): Promise<object> {
    return this.acknowledged(await incomingOf(token, request));
  }

  @Post('c2b/:token')
  @HttpCode(200)
  @WithoutAuthentication(
    'the rail signs nothing; only the rail knows the address, and its own addresses count',
  )
  async receiveNotice(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const incoming = await incomingOf(token, request);
    const reading = this.keys.readToken(token);
    return reading.kind === 'notice' && reading.purpose === 'validation'
      ? this.validation.answer(reading, incoming)
      : this.acknowledged(incoming);
  }

  private async acknowledged(incoming: IncomingCallback): Promise<object> {
    const received = await this.receiver.receive(incoming);
    const outcome = received === 'unknown_key' ? await this.unknownKeys.keep(incoming) : received;
    this.callbacks.inc({ outcome });
    if (outcome === 'lost' || outcome === 'too_many')
      throw new Problem(httpErrors.service_unavailable, { headers: { 'Retry-After': '2' } });
    return this.keys.acknowledgementOf(incoming.token);
  }
}

async function incomingOf(token: string, request: FastifyRequest): Promise<IncomingCallback> {
  return {
    token,
    bytes: (await readBody(request))?.bytes ?? Buffer.alloc(0),
    sourceAddress: callerAddress(request),
    correlationId: request.id,
  };
}
