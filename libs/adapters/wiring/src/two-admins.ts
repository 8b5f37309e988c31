import { RecordedCredentialSecrets, RecordedUniqueNames } from '#records/credentials';
import { RecordedEvidenceErasure, RecordedLosses } from '#records/evidence';
import { EraseEvidenceSubject, EvidenceErasure } from '#domain/evidence';
import { AcceptLossesSubject, LossLists, LossRecords } from '#domain/losses';
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
import { Keyring, sha256Hex } from '#shared/signing';
import { constructed } from '#domain/kernel';
import { EventStore, Pipeline } from '#domain/event-sourcing';
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
  AcceptLossesSubject,
  UnsuspendAdminSubject,
  GrantRoleSubject,
];

/**
 * Proposes and confirms. Needs, from the app's infrastructure: Pipeline, EventStore, Proposals, Admins, UniqueNames,
 * CredentialSecrets, EvidenceErasure, LossLists, LossRecords, PersonSessions.
 */
export function twoAdminsModule(): DynamicModule {
  return ProposalsModule.with(proposalSubjects);
}

/** Providers for changes that need two admins. Needs Database, EventStore and Keyring. */
export const twoAdminRecords: readonly Provider[] = [
  constructed(EvidenceErasure, RecordedEvidenceErasure, [Database]),
  constructed(LossRecords, RecordedLosses, [Database]),
  {
    provide: LossLists,
    inject: [EventStore],
    useFactory: (store: EventStore): LossLists => new LossLists(store, sha256Hex),
  },
  constructed(UniqueNames, RecordedUniqueNames, [Database]),
  constructed(CredentialSecrets, RecordedCredentialSecrets, [Database, Keyring]),
];

/** Answers who is an admin. Needs Pipeline. */
export const adminsInLog: Provider = constructed(Admins, AdminsInLog, [Pipeline]);
