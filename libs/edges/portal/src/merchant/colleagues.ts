import { personOf, RoleDirectory } from '#domain/people';
import { Injectable } from '@nestjs/common';
import { ifAvailable } from '../page/if-available.js';
import { PersonNames } from '../session/ports.js';

/** What the merchant's people are called, by their ids. */
export type Names = ReadonlyMap<string, string>;

/** A person by name where it is known, else as events name them, without the issuer's URL; a holder as it is. */
export function personName(id: string, names: Names): string {
  return names.get(id) ?? personOf(id)?.subject ?? id;
}

/** What people of one merchant are called. */
@Injectable()
export class Colleagues {
  constructor(
    private readonly roles: RoleDirectory,
    private readonly names: PersonNames,
  ) {}

  /**
   * By their ids; whoever has no role at the merchant now is not in it, the platform's people neither (POR-58). Nobody is
   * where that cannot be told for the moment: no page fails for a name.
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
