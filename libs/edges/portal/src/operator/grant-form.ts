import { personOf, roleFrom, type RoleTerms } from '#domain/people';
import { readForEver } from '#desk/operators';
import { Database } from '#infra/postgres';
import { PersonNames } from '#records/people';
import { findMerchants, merchantNames } from '#views/merchants';
import { Injectable } from '@nestjs/common';
import { isPersonOf } from '../access/person-id.js';
import { type FormErrors, Typed } from './decision-form.js';
import { type OperatorTexts } from './operator-texts.js';

/** Most people, and most merchants, that the form of a role lists. The id of another one is typed. */
export const maxChoices = 200;

/** Reads the people and merchants that the form of a role lists, and the names of typed ones. Each throws DependencyUnavailable. */
@Injectable()
export class RoleChoices {
  constructor(
    private readonly names: PersonNames,
    private readonly database: Database,
  ) {}

  /** People who have signed in, the latest first, and merchants by name: one more than the form lists, if there is one. */
  async all() {
    const limit = maxChoices + 1;
    const [people, merchants] = await Promise.all([
      this.names.recent(limit),
      findMerchants(this.database, { text: '', after: '', limit }),
    ]);
    return { people, merchants };
  }

  /** The name that the issuer gave at the person's last sign-in; undefined if there was none. */
  async nameOf(person: string): Promise<string | undefined> {
    return (await this.names.of([person])).get(person);
  }

  async isMerchant(merchantId: string): Promise<boolean> {
    return (await merchantNames(this.database, [merchantId])).has(merchantId);
  }
}

/** The role to grant as an admin typed it, and the reason. */
interface TypedGrant {
  readonly terms: RoleTerms;
  readonly reason: string;
}

/**
 * Reads the role to grant. A person and a merchant are chosen from the lists, or their ids are typed. If no name is
 * typed, it is the one that the issuer gave at the person's last sign-in.
 * @throws DependencyUnavailable
 */
export async function readGrant(
  sent: URLSearchParams,
  choices: Pick<RoleChoices, 'nameOf' | 'isMerchant'>,
  { texts, issuer }: { readonly texts: OperatorTexts; readonly issuer: string | undefined },
): Promise<TypedGrant | FormErrors> {
  const values = new URLSearchParams(sent);
  const typed = new Typed('role', values, texts);
  const { roles: words } = texts;
  const person = chosenOrTyped(values, 'person', 'other_person');
  const merchant = chosenOrTyped(values, 'merchant', 'other_merchant');
  const isPerson = isPersonOf(person.id, issuer);
  if (isPerson && said(values, 'name') === '')
    values.set('role_name', (await choices.nameOf(person.id)) ?? '');
  const name = typed.read('name', readForEver);
  const reason = typed.read('reason', readForEver);
  if (person.isBoth) typed.wrong(person.field, words.chooseOrType);
  else if (!isPerson) typed.wrong(person.field, wrongPerson(person.id, issuer, texts));
  const held = roleFrom(said(values, 'role'), merchant.id === '' ? undefined : merchant.id);
  if (!held) typed.wrong('role', words.wrongRole);
  if (merchant.isBoth) typed.wrong(merchant.field, words.chooseOrType);
  else if (merchant.id !== '' && !(await choices.isMerchant(merchant.id)))
    typed.wrong(merchant.field, words.refusals.unknown_merchant);
  if (typed.errors.length > 0 || name === undefined || reason === undefined || !held)
    return { fields: typed.errors, values: sent };
  return { terms: { ...held, person: person.id, name }, reason };
}

/** The command line's words for a person of another issuer (PEO-1). */
function wrongPerson(
  id: string,
  issuer: string | undefined,
  { missing, roles: words }: OperatorTexts,
): string {
  if (id === '') return missing;
  const other = personOf(id);
  const isOther = other !== undefined && URL.canParse(other.issuer) && other.issuer !== issuer;
  return isOther && issuer !== undefined ? words.otherIssuer(id, issuer) : words.wrongPerson;
}

/** The id from a list or from the field beside it, and the field that an error belongs to. */
function chosenOrTyped(values: URLSearchParams, list: string, other: string) {
  const [chosen, id] = [said(values, list), said(values, other)];
  const isBoth = chosen !== '' && id !== '' && chosen !== id;
  const isChosen = chosen !== '' && !isBoth;
  return { id: isChosen ? chosen : id, field: isChosen ? list : other, isBoth };
}

function said(values: URLSearchParams, name: string): string {
  return (values.get(`role_${name}`) ?? '').trim();
}
