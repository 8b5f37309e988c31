import { CallRecords } from '#records/credentials';
import { Database } from '#infra/postgres';
import { listOwnCredentials, type OwnCredential } from '#views/merchants';
import { Injectable } from '@nestjs/common';
import { type Place } from '../place.js';

/** Most credentials on a page. No merchant has more, apart from the oldest revoked ones, which are left out. */
export const maxCredentials = 50;

/** A merchant's credentials, and the calls that used them. */
@Injectable()
export class OwnCredentials {
  constructor(
    private readonly database: Database,
    readonly calls: CallRecords,
  ) {}

  /** @throws DependencyUnavailable */
  list(place: Place): Promise<readonly OwnCredential[]> {
    return listOwnCredentials(this.database, place, maxCredentials);
  }
}
