import { personOf, RoleDirectory } from '#domain/people';
import { Injectable } from '@nestjs/common';
import { PersonNames } from '../../session/ports.js';

/** What people of one merchant are called. */
@Injectable()
export class Colleagues {
  constructor(
    private readonly roles: RoleDirectory,
    private readonly names: PersonNames,
  ) {}

  /**
   * By their ids; whoever has no role at the merchant now is not in it, the platform's people neither (POR-58).
   * @param ids as events name people
   * @throws DependencyUnavailable
   */
  async called(merchantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const own: string[] = [];
    for (const id of new Set(ids)) if (await this.isOf(merchantId, id)) own.push(id);
    return own.length === 0 ? new Map() : this.names.of(own);
  }

  private async isOf(merchantId: string, id: string): Promise<boolean> {
    const person = personOf(id);
    const held = person ? await this.roles.rolesOf(person) : [];
    return held.some((role) => role.merchantId === merchantId);
  }
}
