import { personOf, RoleDirectory } from '#domain/people';
import { Injectable } from '@nestjs/common';
import { ifAvailable } from '../page/if-available.js';
import { PersonNames } from '#records/people';

/** Names of the merchant's people, by their ids. */
export type Names = ReadonlyMap<string, string>;

/**
 * A person's name if it is known, or else the person as events name them, without the issuer's URL. A holder stays as
 * it is.
 */
export function personName(id: string, names: Names): string {
  return names.get(id) ?? personOf(id)?.subject ?? id;
}

/** Names of one merchant's people. */
@Injectable()
export class Colleagues {
  constructor(
    private readonly roles: RoleDirectory,
    private readonly names: PersonNames,
  ) {}

  /**
   * Returns names by id. A person without a role at the merchant now is not in it, nor are the platform's people
   * (POR-58). If the directory cannot answer at the moment, the map is empty: no page fails for a name.
   * @param ids as events name people
   */
  async called(merchantId: string, ids: readonly string[]): Promise<Names> {
    return (await ifAvailable(this.namesOf(merchantId, [...new Set(ids)]))) ?? new Map();
  }

  private async namesOf(merchantId: string, ids: readonly string[]): Promise<Names> {
    const isOwn = await Promise.all(ids.map((id) => this.isOf(merchantId, id)));
    const own = ids.filter((_id, index) => isOwn[index]);
    return own.length === 0 ? new Map() : this.names.of(own);
  }

  private async isOf(merchantId: string, id: string): Promise<boolean> {
    const person = personOf(id);
    const held = person ? await this.roles.rolesOf(person) : [];
    return held.some((role) => role.merchantId === merchantId);
  }
}
