import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AllowHostsHandler } from './allow-hosts/allow-hosts.command.js';
import { IssueCheckoutKeyHandler } from './issue-checkout-key/issue-checkout-key.command.js';
import { IssueV3CredentialHandler } from './issue-v3-credential/issue-v3-credential.command.js';
import { OpenAccountHandler } from './open-account/open-account.command.js';
import { RegisterMerchantHandler } from './register-merchant/register-merchant.command.js';
import { RevokeCredentialHandler } from './revoke-credential/revoke-credential.command.js';
import { SetAccountChannelsHandler } from './set-channels/set-channels.command.js';
import { SetCheckoutStrictHandler } from './set-checkout-strict/set-checkout-strict.command.js';
import { SetWebhookEndpointHandler } from './set-webhook-endpoint/set-webhook-endpoint.command.js';

/**
 * Sets webhook endpoints, for an app that sets nothing else. Needs, from the app's infrastructure: Pipeline,
 * WebhookSecrets.
 */
@Module({ imports: [CqrsModule], providers: [SetWebhookEndpointHandler] })
export class WebhookEndpointsModule {}

/** Revokes credentials, for an app that creates none by itself. Needs Pipeline and CredentialSecrets. */
@Module({ imports: [CqrsModule], providers: [RevokeCredentialHandler] })
export class CredentialRevocationModule {}

/** Needs, from the app's infrastructure: Pipeline, UniqueNames, CredentialSecrets, WebhookSecrets, V3Admission. */
@Module({
  imports: [CqrsModule, CredentialRevocationModule, WebhookEndpointsModule],
  providers: [
    AllowHostsHandler,
    IssueCheckoutKeyHandler,
    IssueV3CredentialHandler,
    OpenAccountHandler,
    RegisterMerchantHandler,
    SetAccountChannelsHandler,
    SetCheckoutStrictHandler,
  ],
})
export class MerchantsModule {}
