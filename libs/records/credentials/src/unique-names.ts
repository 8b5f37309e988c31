import { randomBytes, randomInt } from 'node:crypto';
import { type IssuedNameKind, type UniqueNameKind, UniqueNames } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';

// The update that changes nothing makes the statement return the existing row.
const reserve = `
  insert into records.unique_names as name (kind, value, owner) values ($1, $2, $3)
  on conflict (kind, value) do update set owner = name.owner
  returning owner`;
const isTaken = `select 1 from records.unique_names where kind = 'account' and value = $1`;

/** Account numbers have ten digits and do not begin with 0, so that no spreadsheet shortens them. */
const [firstAccountNo, lastAccountNo] = [1_000_000_000, 9_999_999_999];
/** With a million accounts, one draw in nine thousand is taken; eight in a row are a defect. */
const maxDraws = 8;

/**
 * A vid consists of letters only: V3's checkout hash joins values without a separator, and a letter cannot be mistaken
 * for a neighbour's digit. A vid is a name, not a proof.
 */
const newName = {
  consumer_key: () => `v3_${randomBytes(24).toString('base64url')}`,
  checkout_key: () => `ck_${randomBytes(12).toString('base64url')}`,
  vid: () => Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join(''),
} as const satisfies Record<IssuedNameKind, () => string>;

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** Unique names as rows, inserted before the event that contains them. */
export class RecordedUniqueNames extends UniqueNames {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async reserve(kind: UniqueNameKind, name: string, owner: string): Promise<boolean> {
    const [row] = await this.database.query<{ owner: string }>(reserve, [kind, name, owner]);
    return row?.owner === owner;
  }

  override async issueAccountNo(merchantId: string): Promise<string> {
    for (let draw = 0; draw < maxDraws; draw += 1) {
      const accountNo = String(randomInt(firstAccountNo, lastAccountNo + 1));
      // Each draw has its own owner: the merchant's other accounts must not count as this one.
      const owner = `${merchantId}/${accountNo}`;
      if (await this.isFresh(accountNo, owner)) return accountNo;
    }
    throw new Error('no free account number was drawn');
  }

  override async issueName(kind: IssuedNameKind, owner: string): Promise<string> {
    const name = newName[kind]();
    // With this many random bits, a duplicate means that the source of randomness is broken.
    if (!(await this.reserve(kind, name, owner))) throw new Error(`a fresh ${kind} was taken`);
    return name;
  }

  private async isFresh(accountNo: string, owner: string): Promise<boolean> {
    const taken = await this.database.query(isTaken, [accountNo]);
    return taken.length === 0 && (await this.reserve('account', accountNo, owner));
  }
}
