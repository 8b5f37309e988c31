import { type CorrectionTerms } from '#domain/corrections';
import { Ids, isMode, type Mode, refuse, type Result } from '#domain/kernel';
import { ClearedRails } from '#domain/ledger';
import { Database } from '#infra/postgres';
import { Cases, itemStream } from '#desk/operators';
import { type Balance, findBalances } from '#views/balances';
import { findMerchant, findMerchants, type MerchantProfile } from '#views/merchants';
import { Injectable } from '@nestjs/common';
import { MerchantPagesOptions } from '../merchant/options.js';
import { ifAvailable } from '../page/if-available.js';
import { readTerms } from './correction-form.js';
import { type FormErrors } from './decision-form.js';
import { type OperatorTexts } from './operator-texts.js';
import { pageSize } from './page-context.js';

/** Most accounts whose balances the form shows. */
const maxBalances = 50;

/** Reads merchants and their balances for the form of a correction. Each throws DependencyUnavailable. */
@Injectable()
export class CorrectedMerchants {
  constructor(
    private readonly database: Database,
    private readonly options: MerchantPagesOptions,
  ) {}

  /** Merchants by a part of their name; one more than a page if there are further ones. */
  called(text: string): Promise<MerchantProfile[]> {
    return findMerchants(this.database, { text, after: '', limit: pageSize + 1 });
  }

  find(merchantId: string): Promise<MerchantProfile | undefined> {
    return findMerchant(this.database, merchantId);
  }

  /** The balances of the merchant's first accounts in the mode; undefined if they cannot be read at the moment. */
  balances(
    { merchantId, accounts }: MerchantProfile,
    mode: Mode,
  ): Promise<readonly Balance[] | undefined> {
    const own = accounts.filter((account) => account.mode === mode).slice(0, maxBalances);
    const asked = own.map(({ accountNo }) => ({ merchantId, mode, accountNo }));
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    return ifAvailable(findBalances(this.database, asked, bound));
  }
}

/** Reads for the form of a correction, and reads its terms. Each throws DependencyUnavailable. */
@Injectable()
export class CorrectionForms {
  constructor(
    private readonly merchants: CorrectedMerchants,
    private readonly rails: ClearedRails,
    private readonly ids: Ids,
    private readonly cases: Cases,
  ) {}

  called(text: string): Promise<MerchantProfile[]> {
    return this.merchants.called(text);
  }

  /**
   * The parts of the form for the merchant and the mode that the values name.
   * @returns undefined if they name none
   */
  async of(values: URLSearchParams) {
    const mode = values.get('correction_mode') ?? '';
    const merchantId = (values.get('correction_merchant') ?? '').trim();
    if (!isMode(mode) || merchantId === '') return undefined;
    const merchant = await this.merchants.find(merchantId);
    if (!merchant) return undefined;
    const id = values.get('id') ?? this.ids.next();
    const balances = await this.merchants.balances(merchant, mode);
    return { id, merchant, mode, balances, otherAccounts: this.rails.otherAccounts() };
  }

  /** Reads the terms. A reference names the merchant's item in the mode, if there is exactly one. */
  async read(
    values: URLSearchParams,
    texts: OperatorTexts,
  ): Promise<Result<CorrectionTerms, FormErrors>> {
    const reference = (values.get(correctsField) ?? '').trim();
    if (reference === '' || streams.test(reference)) return readTerms(values, texts);
    const stream = await this.streamOf(reference, values);
    if (stream.ok) {
      const named = new URLSearchParams(values);
      named.set(correctsField, stream.value);
      return readTerms(named, texts);
    }
    const text = texts.corrections.noItem[stream.refusal];
    return refuse({ fields: [{ field: correctsField, text }], values });
  }

  private async streamOf(
    reference: string,
    values: URLSearchParams,
  ): Promise<Result<string, 'unknown' | 'both'>> {
    const mode = values.get('correction_mode') ?? '';
    const merchantId = (values.get('correction_merchant') ?? '').trim();
    if (!isMode(mode)) return refuse('unknown');
    const found = await this.cases.findItem({ mode, merchantId, reference }, undefined);
    if (!found.ok) return refuse('both');
    return found.value ? { ok: true, value: itemStream(found.value) } : refuse('unknown');
  }
}

const correctsField = 'correction_corrects';
/** A name as the log has it, which links of items and corrections fill in. */
const streams = /^(?:collection|payout|correction)-(?:live|demo):/;
