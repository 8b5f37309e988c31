import { RecordedCredentialSecrets, RecordedUniqueNames } from '#records/credentials';
import { RecordedEvidenceErasure } from '#records/evidence';
import { EraseEvidenceSubject, EvidenceErasure } from '#domain/evidence';
import {
  BindHolderSubject,
  CredentialSecrets,
  IssueCredentialSubject,
  SetDestinationsSubject,
  SetExpirySubject,
  SetFeeScheduleSubject,
  SetIpListSubject,
  SetLimitsSubject,
  UniqueNames,
} from '#domain/merchants';
import { Database } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import { constructed } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { ResumePayoutsSubject } from '#domain/payouts';
import { AdminsInLog, GrantRoleSubject, UnsuspendAdminSubject } from '#domain/people';
import { Admins, ProposalsModule } from '#domain/proposals';
import { type DynamicModule, type Provider, type Type } from '@nestjs/common';

/** Every change that needs two admins, one line each. The API and the command line confirm proposals of all kinds. */
const proposalSubjects: readonly Type[] = [
  IssueCredentialSubject,
  ResumePayoutsSubject,
  BindHolderSubject,
  SetIpListSubject,
  SetExpirySubject,
  SetLimitsSubject,
  SetDestinationsSubject,
  SetFeeScheduleSubject,
  EraseEvidenceSubject,
  UnsuspendAdminSubject,
  GrantRoleSubject,
];

/**
 * Proposes and confirms. Needs, from the app's infrastructure: Pipeline, EventStore, Proposals, Admins, UniqueNames,
 * CredentialSecrets, EvidenceErasure, PersonSessions.
 */
export function twoAdminsModule(): DynamicModule {
  return ProposalsModule.with(proposalSubjects);
}

/** Providers for changes that need two admins: they store names and secrets, and drop keys. Needs Database and Keyring. */
export const twoAdminRecords: readonly Provider[] = [
  constructed(EvidenceErasure, RecordedEvidenceErasure, [Database]),
  constructed(UniqueNames, RecordedUniqueNames, [Database]),
  constructed(CredentialSecrets, RecordedCredentialSecrets, [Database, Keyring]),
];

/** Answers who is an admin. Needs Pipeline. */
export const adminsInLog: Provider = constructed(Admins, AdminsInLog, [Pipeline]);
