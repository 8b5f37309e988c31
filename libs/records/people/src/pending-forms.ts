import { type SealedTable } from '#records/keys';
import { type Mode } from '#domain/kernel';
import { type Action } from '#domain/people';
import { type Database } from '#infra/postgres';
import { Keyring, UnopenableCiphertext } from '#shared/signing';

/** The act of a form: a decision about money that leaves, or a step of a decision that takes two people. */
export type DescribedVerb = 'approve' | 'reject' | 'propose' | 'confirm' | 'withdraw' | 'decide';

/** Words that say what a form will do, for the person who confirms it. */
export interface Description {
  readonly title: string;
  /** The act of the form, which the page's button names. */
  readonly verb?: DescribedVerb;
  /** Pairs of name and value. */
  readonly rows: readonly (readonly [string, string])[];
  /** Set if the form decides about money that leaves; the page shows it above the rows. */
  readonly payment?: DescribedPayment;
  /** Set if the form decides several items; the page shows their total and their list above the rows. */
  readonly items?: DescribedItems;
  /** Facts of the item, or all facts of each item by its name. The page folds them. */
  readonly details?: readonly (readonly [string, string])[];
  /** Facts that change by themselves, for information: the confirmation is not bound to them. */
  readonly unbound?: readonly (readonly [string, string])[];
}

/** The money that the form is about, in words that no one can misread. */
export interface DescribedPayment {
  /** The amount with its currency. */
  readonly amount: string;
  /** The masked number with its last digits, or the number of payouts of a batch. */
  readonly to?: string;
  readonly merchant: string;
  readonly mode: Mode;
}

/** Several items that one form decides. */
export interface DescribedItems {
  /** The sum of their money, with its currency. */
  readonly total: string;
  /** The mode of all; null if they differ. */
  readonly mode: Mode | null;
  /** Each item with its money and what is said about it: the other amount, or the decision and its proposer. */
  readonly list: readonly {
    readonly name: string;
    readonly amount: string;
    readonly said: string;
  }[];
}

/** A form as it was sent, which waits for its sender's proof of presence. */
export interface PendingForm {
  readonly action: Action;
  /** The path and query. */
  readonly target: string;
  /** A digest of method, target, media type, bytes and description. */
  readonly digest: Buffer;
  readonly mediaType: string | undefined;
  readonly bytes: Buffer;
  readonly description: Description;
}

/** The key of a held form: a hash of its id, and the session's hash. */
export interface PendingFormKey {
  readonly idHash: Buffer;
  readonly sessionHash: Buffer;
}

const label = 'portal-held-form';
/** Maximum number of forms per session that wait at the same time; a new one replaces the oldest. */
const maxHeld = 20;
const holdForm = `
  with oldest as (
    delete from records.portal_held_forms where id_hash in (
      select id_hash from records.portal_held_forms
        where session_hash = $2 order by held_at desc offset ${maxHeld - 1})
  )
  insert into records.portal_held_forms
    (id_hash, session_hash, action, digest, key_id, ciphertext, ends_at)
  values ($1, $2, $3, $4, $5, $6, records.now_() + $7::float8 * interval '1 millisecond')`;
const formColumns = `
  id_hash as "idHash", action, digest, key_id as "keyId", ciphertext, proved_at is not null as "isProved"`;
const findForm = `
  select ${formColumns} from records.portal_held_forms
    where id_hash = $1 and session_hash = $2 and ends_at > records.now_()`;
const proveForm = `
  update records.portal_held_forms
    set proved_at = records.now_(), ends_at = records.now_() + $4::float8 * interval '1 millisecond'
    where id_hash = $1 and session_hash = $2 and digest = $3
      and proved_at is null and ends_at > records.now_()
    returning 1`;
const takeForm = `
  delete from records.portal_held_forms
    where id_hash = $1 and session_hash = $2 and proved_at is not null and ends_at > records.now_()
    returning ${formColumns}`;

interface FormRow {
  readonly idHash: Buffer;
  readonly action: Action;
  readonly digest: Buffer;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly isProved: boolean;
}

/** The sealed part of a form. */
type Sealed = Pick<PendingForm, 'target' | 'description'> & {
  readonly mediaType?: string;
  /** Base64. */
  readonly bytes: string;
};

/** If the key of a waiting form is retired, the form is resealed under the next key. */
export const sealedHeldForms: SealedTable = {
  table: 'portal_held_forms',
  idColumn: 'id_hash',
  idType: 'bytea',
  label: () => label,
  aad: (id) => id.slice('\\x'.length),
  underDataKey: false,
};

/** Stores held forms, each for a few minutes at most, sealed under a master key. */
export class PendingForms {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {}

  async hold(
    { idHash, sessionHash }: PendingFormKey,
    { action, target, digest, mediaType, bytes, description }: PendingForm,
    forMs: number,
  ): Promise<void> {
    const sealed: Sealed = {
      target,
      description,
      bytes: bytes.toString('base64'),
      ...(mediaType !== undefined && { mediaType }),
    };
    const { currentKeyId } = this.keyring;
    const aad = idHash.toString('hex');
    const ciphertext = this.keyring.sealBytes(label, JSON.stringify(sealed), aad);
    const row = [idHash, sessionHash, action, digest, currentKeyId, ciphertext, forMs];
    await this.database.query(holdForm, row);
  }

  async find({ idHash, sessionHash }: PendingFormKey) {
    const [row] = await this.database.query<FormRow>(findForm, [idHash, sessionHash]);
    const form = row && this.opened(row);
    return row && form && { form, isProved: row.isProved };
  }

  /** @returns true if such a form with that digest waits */
  async prove(
    { idHash, sessionHash }: PendingFormKey,
    digest: Buffer,
    forMs: number,
  ): Promise<boolean> {
    const proved = [idHash, sessionHash, digest, forMs];
    return (await this.database.query(proveForm, proved)).length > 0;
  }

  /** Returns a proved form and forgets it, so that it is carried out at most once. */
  async take({ idHash, sessionHash }: PendingFormKey): Promise<PendingForm | undefined> {
    const [row] = await this.database.query<FormRow>(takeForm, [idHash, sessionHash]);
    return row && this.opened(row);
  }

  /** Undefined if its key was dropped; the person then fills the form in again. */
  private opened({ idHash, action, digest, keyId, ciphertext }: FormRow): PendingForm | undefined {
    try {
      const aad = idHash.toString('hex');
      const text = this.keyring.openBytes(label, keyId, ciphertext, aad).toString();
      const { target, mediaType, bytes, description } = JSON.parse(text) as Sealed;
      return {
        action,
        target,
        digest,
        mediaType,
        description,
        bytes: Buffer.from(bytes, 'base64'),
      };
    } catch (error) {
      if (error instanceof UnopenableCiphertext) return undefined;
      throw error;
    }
  }
}
