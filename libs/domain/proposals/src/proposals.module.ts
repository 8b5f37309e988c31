import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DecideProposalHandler } from './decide-proposal.command.js';
import { ProposeHandler } from './propose.command.js';
import { type AnySubject, ProposalSubjects } from './subject.js';

/** Needs, from the app's infrastructure: Pipeline, Proposals, Admins, and the dependencies of each subject. */
@Module({ imports: [CqrsModule], providers: [DecideProposalHandler, ProposeHandler] })
export class ProposalsModule {
  /** @param subjects the classes of every subject, because a proposal of another kind could not be confirmed */
  static with(subjects: readonly Type[]): DynamicModule {
    return {
      module: ProposalsModule,
      global: true,
      providers: [
        ...subjects,
        {
          provide: ProposalSubjects,
          inject: [...subjects],
          useFactory: (...all: AnySubject[]) => new ProposalSubjects(all),
        },
      ],
      exports: [ProposalSubjects],
    };
  }
}
