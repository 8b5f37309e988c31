import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { WithoutAuthentication } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { AcknowledgedCallbacks, incomingOf } from './acknowledged-callbacks.js';

/** Receives the rails' callbacks. The path contains the token and is never logged. */
@Controller('rails')
export class CallbackController {
  constructor(private readonly callbacks: AcknowledgedCallbacks) {}

  @Post(':token')
  @HttpCode(200)
  @WithoutAuthentication(
    'the rail signs nothing; the token names the collection, a query corroborates',
  )
  async receive(@Param('token') token: string, @Req() request: FastifyRequest): Promise<object> {
    return this.callbacks.take(await incomingOf(token, request));
  }
}
