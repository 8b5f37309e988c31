import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { WithoutAuthentication } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { AcknowledgedCallbacks, incomingOf } from '../callback/acknowledged-callbacks.js';
import { CallbackKeys } from '../callback/callback-keys.js';
import { PaymentValidation } from './payment-validation.js';

/** Receives the rails' notices of payments without a push (C2B-1). The path contains the token and is never logged. */
@Controller('rails/c2b')
export class NoticeController {
  constructor(
    private readonly callbacks: AcknowledgedCallbacks,
    private readonly keys: CallbackKeys,
    private readonly validation: PaymentValidation,
  ) {}

  @Post(':token')
  @HttpCode(200)
  @WithoutAuthentication(
    'the rail signs nothing; only the rail knows the address, and only its own addresses count',
  )
  async receive(@Param('token') token: string, @Req() request: FastifyRequest): Promise<object> {
    const incoming = await incomingOf(token, request);
    const reading = this.keys.readToken(token);
    return reading.kind === 'notice' && reading.purpose === 'validation'
      ? this.validation.answer(reading, incoming)
      : this.callbacks.take(incoming);
  }
}
