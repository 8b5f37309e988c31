export { AdminsInLog } from './admins-in-log.js';
export {
  type AnnounceRefusal,
  breakGlassWaitMs,
  type StopRefusal,
} from './break-glass/break-glass.decide.js';
export { AnnounceBreakGlass } from './break-glass/announce-break-glass.command.js';
export {
  type BreakGlass,
  type BreakGlassTimes,
  grantAnnounced,
} from './break-glass/grant-announced.js';
export { StopBreakGlass } from './break-glass/stop-break-glass.command.js';
export { GrantFirstAdmins } from './grant/grant-first-admins.command.js';
export {
  grantRole,
  type GrantRoleRefusal,
  GrantRoleSubject,
  listRoleProposals,
  mostRoleProposals,
  type RoleProposal,
  roleTermsFrom,
} from './grant/grant-role.command.js';
export { HolderDirectory, HoldersInLog } from './holder-directory.js';
export { EndSessions, type EndSessionsRefusal } from './sessions/end-sessions.command.js';
export { PersonSessions } from './sessions/person-sessions.js';
export { PeopleModule } from './people.module.js';
export {
  type Action,
  type HeldRole,
  type MerchantRole,
  merchantRoles,
  needsStepUp,
  type OperatorRole,
  operatorRoles,
  permissions,
  permits,
} from './permissions.js';
export { areOfTwoIssuers, isMachinesOwner, type Person, personId, personOf } from './person.js';
export { RevokeRole } from './revoke/revoke-role.command.js';
export {
  RoleDirectory,
  RoleHistory,
  type RoleSince,
  RolesInLog,
  type RolesMoment,
} from './role-directory.js';
export { type RoleEvent, roleEventTypes, roleStream, type RoleTerms } from './role.events.js';
export { needsTwoAdmins, roleDecider, roleFrom, type Roles, rolesOf } from './roles.js';
export { type FirstAdminsRefusal, type RevokeRefusal } from './roles.decide.js';
export { isStillPermitted } from './still-permitted.js';
export { SuspendAdmin } from './suspend/suspend-admin.command.js';
export {
  unsuspendAdmin,
  UnsuspendAdminSubject,
  type UnsuspendDetails,
} from './suspend/unsuspend-admin.command.js';
export { type SuspendRefusal, type UnsuspendRefusal } from './suspend/suspension.decide.js';
export {
  isMislabelled,
  isStepUp,
  type SeenAt,
  type StepUpProof,
  stepUpCountsMs,
  stepUpProof,
  strongOnly,
  wasSeenSince,
} from './step-up.js';
