import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { WithoutAuthentication } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { AcknowledgedCallbacks, incomingOf } from '../callback/acknowledged-callbacks.js';
import { CallbackKeys } from '../callback/callback-keys.js';
import { NamedPushes } from './named-pushes.js';

/**
 * Receives the callbacks of a rail that has one address for all of a mode's pushes (AIR-7). The path contains the
 * token and is never logged.
 */
@Controller('rails/shared')
export class SharedAddressController {
  constructor(
    private readonly callbacks: AcknowledgedCallbacks,
    private readonly keys: CallbackKeys,
    private readonly pushes: NamedPushes,
  ) {}

  @Post(':token')
  @HttpCode(200)
  @WithoutAuthentication('the rail signs nothing that proves a payment, so a query of ours decides')
  async receive(@Param('token') token: string, @Req() request: FastifyRequest): Promise<object> {
    const incoming = await incomingOf(token, request);
    const reading = this.keys.readToken(token);
    const own =
      reading.kind === 'shared' ? await this.pushes.tokenFor(reading, incoming.bytes) : undefined;
    return this.callbacks.take(own === undefined ? incoming : { ...incoming, token: own });
  }
}
