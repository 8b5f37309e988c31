import { type Queryable } from '#infra/postgres';

const selectNames = {
  name: 'person-names',
  text: `select person, name from records.person_names where person = any ($1::text[])`,
};
const selectPeople = `
  select person from records.person_names
    where position(lower($1) in lower(name)) > 0 order by told_at desc limit $2`;

const selectRecent = `
  select person, name from records.person_names order by told_at desc limit $1`;

/** A person who has signed in, as events name people, and the name that the issuer gave last. */
export interface KnownPerson {
  readonly person: string;
  readonly name: string;
}

/** Reads people's names, as the issuer gave them at their last sign-in. Each method throws DependencyUnavailable. */
export class PersonNames {
  constructor(private readonly database: Queryable) {}

  /** Names as the issuer last gave them, by the people's ids. A person who never signed in is not in it. */
  async of(people: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (people.length === 0) return new Map();
    const rows = await this.database.query<{ person: string; name: string }>(selectNames, [people]);
    return new Map(rows.map(({ person, name }) => [person, name]));
  }

  /** People who have signed in, the latest sign-in first. */
  recent(limit: number): Promise<readonly KnownPerson[]> {
    return this.database.query<KnownPerson>(selectRecent, [limit]);
  }

  /** Ids of people whose names contain the text in any case, the latest sign-in first. */
  async peopleCalled(text: string, limit: number): Promise<readonly string[]> {
    const rows = await this.database.query<{ person: string }>(selectPeople, [text, limit]);
    return rows.map(({ person }) => person);
  }
}
