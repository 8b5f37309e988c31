import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GrantFirstAdminsHandler } from './grant/grant-first-admins.command.js';
import { EndSessionsHandler } from './sessions/end-sessions.command.js';
import { AnnounceBreakGlassHandler } from './break-glass/announce-break-glass.command.js';
import { StopBreakGlassHandler } from './break-glass/stop-break-glass.command.js';
import { RevokeRoleHandler } from './revoke/revoke-role.command.js';
import { SuspendAdminHandler } from './suspend/suspend-admin.command.js';

/** People's roles and permissions. Needs, from the app: PersonSessions, Pipeline, Proposals. */
@Module({
  imports: [CqrsModule],
  providers: [
    AnnounceBreakGlassHandler,
    EndSessionsHandler,
    GrantFirstAdminsHandler,
    RevokeRoleHandler,
    StopBreakGlassHandler,
    SuspendAdminHandler,
  ],
})
export class PeopleModule {}
