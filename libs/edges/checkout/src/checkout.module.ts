import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { RetainedRequests, RequestSeal } from '#shared/http';
import { V3GateModule } from '#edges/v3-gate';
import { FormPushes, PaymentAttempts } from './attempts/payment-attempts.js';
import { CheckoutController, ScriptController } from './checkout.controller.js';
import { Forms } from './form/forms.js';
import { KeptNumbers } from './form/kept-numbers.js';
import { Limits } from './limits.js';
import { LinkPages } from './link-pages.js';
import { Nonces } from './link/nonces.js';
import { OpenLinks } from './link/open-links.js';
import { OpenedLinks } from './opened.js';
import { Payments } from './payments.js';

/** Needs, from the app's infrastructure: CheckoutOptions, Clock, Metrics, Ids, Keyring, PhoneVault, RedisStore, CachedMerchants, MerchantDirectory, Rail, SealedMessages; CollectionsModule and CollectionInitiationModule. */
@Module({
  imports: [CqrsModule, V3GateModule],
  controllers: [ScriptController, CheckoutController],
  providers: [
    PaymentAttempts,
    FormPushes,
    Forms,
    KeptNumbers,
    RetainedRequests,
    Limits,
    LinkPages,
    Nonces,
    OpenLinks,
    OpenedLinks,
    Payments,
    RequestSeal,
  ],
})
export class CheckoutModule {}
