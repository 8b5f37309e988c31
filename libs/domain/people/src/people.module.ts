import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DecideRoleProposalHandler } from './grant/decide-role-proposal.command.js';
import { GrantFirstAdminsHandler } from './grant/grant-first-admins.command.js';
import { GrantRoleHandler } from './grant/grant-role.command.js';
import { RevokeRoleHandler } from './revoke/revoke-role.command.js';

/** Who may do what. Needs, from the app: Pipeline, RoleProposals. */
@Module({
  imports: [CqrsModule],
  providers: [
    DecideRoleProposalHandler,
    GrantFirstAdminsHandler,
    GrantRoleHandler,
    RevokeRoleHandler,
  ],
})
export class PeopleModule {}
