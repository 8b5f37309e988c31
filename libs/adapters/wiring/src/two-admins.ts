import { constructed } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { EraseEvidenceSubject } from '#domain/evidence';
import {
  BindHolderSubject,
  IssueCredentialSubject,
  SetDestinationsSubject,
  SetFeeScheduleSubject,
  SetIpListSubject,
  SetLimitsSubject,
} from '#domain/merchants';
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

/** Answers who is an admin. Needs Pipeline. */
export const adminsInLog: Provider = constructed(Admins, AdminsInLog, [Pipeline]);
