import { Injectable } from '@nestjs/common';
import { Metrics } from '#infra/runtime';
import { callerAddress, httpErrors, Problem, readBody } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { CallbackKeys } from './callback-keys.js';
import { CallbackReceiver, type IncomingCallback } from './callback-receiver.js';
import { UnknownKeyCallbacks } from './unknown-key-callbacks.js';

/** Receives callbacks, and acknowledges those that are durable or change nothing. */
@Injectable()
export class AcknowledgedCallbacks {
  private readonly callbacks;

  constructor(
    private readonly receiver: CallbackReceiver,
    private readonly unknownKeys: UnknownKeyCallbacks,
    private readonly keys: CallbackKeys,
    metrics: Metrics,
  ) {
    this.callbacks = metrics.counter({
      name: 'rail_callbacks_total',
      help: 'Callbacks of the rail, by outcome',
      labels: ['outcome'],
    });
  }

  /**
   * @returns the body that the rail expects
   * @throws Problem service_unavailable if the callback is not durable
   */
  async take(incoming: IncomingCallback): Promise<object> {
    const received = await this.receiver.receive(incoming);
    const outcome = received === 'unknown_key' ? await this.unknownKeys.keep(incoming) : received;
    this.callbacks.inc({ outcome });
    if (outcome === 'lost' || outcome === 'too_many')
      throw new Problem(httpErrors.service_unavailable, { headers: { 'Retry-After': '2' } });
    return this.keys.acknowledgementOf(incoming.token);
  }
}

/** Reads the request of a callback, at most 64 KiB: a larger body gets a 413 before it reaches a controller. */
export async function incomingOf(
  token: string,
  request: FastifyRequest,
): Promise<IncomingCallback> {
  return {
    token,
    bytes: (await readBody(request))?.bytes ?? Buffer.alloc(0),
    sourceAddress: callerAddress(request),
    correlationId: request.id,
  };
}
