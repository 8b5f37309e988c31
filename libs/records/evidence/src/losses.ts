import { LossRecords } from '#domain/losses';
import { type Database } from '#infra/postgres';

const count = {
  name: 'count-messages',
  text: `select count(*)::int as there from records.sealed_messages where id = any($1::uuid[])`,
};

/** Finds out if sealed messages are still missing. */
export class RecordedLosses extends LossRecords {
  constructor(private readonly database: Database) {
    super();
  }

  override async countMessages(ids: readonly string[]): Promise<number> {
    const [row] = await this.database.query<{ readonly there: number }>(count, [ids]);
    return row?.there ?? 0;
  }
}
