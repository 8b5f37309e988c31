import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AllowHostsHandler } from './allow-hosts/allow-hosts.handler.js';
import { IssueCheckoutKeyHandler } from './issue-checkout-key/issue-checkout-key.handler.js';
import { IssueCredentialHandler } from './issue-credential/issue-credential.handler.js';
import { IssueV3CredentialHandler } from './issue-v3-credential/issue-v3-credential.handler.js';
import { OpenAccountHandler } from './open-account/open-account.handler.js';
import { RegisterMerchantHandler } from './register-merchant/register-merchant.handler.js';
import { RevokeCredentialHandler } from './revoke-credential/revoke-credential.handler.js';
import { SetCheckoutStrictHandler } from './set-checkout-strict/set-checkout-strict.handler.js';
import { SetFeeScheduleHandler } from './set-fee-schedule/set-fee-schedule.handler.js';
import { SetIpListHandler } from './set-ip-list/set-ip-list.handler.js';

/** Needs, from the app's infrastructure: Pipeline, UniqueNames, CredentialSecrets, V3Admission. */
@Module({
  imports: [CqrsModule],
  providers: [
    AllowHostsHandler,
    IssueCheckoutKeyHandler,
    IssueCredentialHandler,
    IssueV3CredentialHandler,
    OpenAccountHandler,
    RegisterMerchantHandler,
    RevokeCredentialHandler,
    SetCheckoutStrictHandler,
    SetFeeScheduleHandler,
    SetIpListHandler,
  ],
})
export class MerchantsModule {}
