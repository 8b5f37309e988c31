import { Ids, ok, type Result } from '#domain/kernel';
import { personId } from '#domain/people';
import { ProposalSubjects } from '#domain/proposals';
import {
  type AccessRequest,
  type AccessRequestKind,
  AccessRequests,
  type AskRefusal,
} from '#records/people';
import { Injectable } from '@nestjs/common';
import { type Viewer } from '../../access/viewer.js';
import { type Place } from '../place.js';
import { type AskedChange, writtenChange } from './access-details.js';

/** Requests that a list shows, the newest first. */
const maxShown = 30;

/** Takes requests of a merchant's owners for access, and lists them. Each method throws DependencyUnavailable. */
@Injectable()
export class AccessDesk {
  constructor(
    private readonly requests: AccessRequests,
    private readonly subjects: ProposalSubjects,
    private readonly ids: Ids,
  ) {}

  /**
   * Stores a request, which decides nothing (POR-97). A change of keys that would be refused now is refused at once.
   * @returns the refusal of the change itself, or of the request
   */
  async ask(
    change: AskedChange,
    { viewer, reason }: { readonly viewer: Viewer; readonly reason: string },
  ): Promise<Result<undefined, string>> {
    const { kind, details } = change;
    const askedBy = personId(viewer.person);
    if (kind === 'credential' || kind === 'ip_list') {
      const weighed = await this.subjects.of(kind).weigh(details, askedBy);
      if (!weighed.ok) return weighed;
    }
    const { merchantId } = details;
    const stored: Result<undefined, AskRefusal> = await this.requests.ask({
      id: this.ids.next(),
      merchantId: merchantId ?? '',
      ...writtenChange(change),
      reason,
      askedBy,
    });
    return stored.ok ? ok(undefined) : stored;
  }

  list(
    place: Pick<Place, 'merchantId' | 'mode'>,
    ...kinds: readonly AccessRequestKind[]
  ): Promise<readonly AccessRequest[]> {
    return this.requests.listOf(place, kinds, maxShown);
  }

  /** @returns the request's kind; undefined if it is not open any more, or is another merchant's */
  withdraw(
    id: string,
    viewer: Pick<Viewer, 'person'>,
    { merchantId }: Pick<Place, 'merchantId'>,
  ): Promise<AccessRequestKind | undefined> {
    return this.requests.withdraw(id, personId(viewer.person), merchantId);
  }
}
