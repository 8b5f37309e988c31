import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { IssueCredentialHandler } from './issue-credential/issue-credential.handler.js';
import { OpenAccountHandler } from './open-account/open-account.handler.js';
import { RegisterMerchantHandler } from './register-merchant/register-merchant.handler.js';
import { RevokeCredentialHandler } from './revoke-credential/revoke-credential.handler.js';
import { SetFeeScheduleHandler } from './set-fee-schedule/set-fee-schedule.handler.js';

/** Needs, from the app's infrastructure: Pipeline, UniqueNames, CredentialSecrets. */
@Module({
  imports: [CqrsModule],
  providers: [
    IssueCredentialHandler,
    OpenAccountHandler,
    RegisterMerchantHandler,
    RevokeCredentialHandler,
    SetFeeScheduleHandler,
  ],
})
export class MerchantsModule {}
