import { EventStore } from '#domain/event-sourcing';
import { isMode, type Mode } from '#domain/kernel';
import { ReadDatabase } from '#infra/postgres';
import { html, type Html } from '#shared/html';
import { httpErrors, Problem } from '#shared/http';
import { findMerchant, type MerchantProfile } from '#views/merchants';
import { projectedPrefixes, ViewProgress } from '#views/view-set';
import { Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { rememberMerchantName } from '../access/viewer.js';
import { ifAvailable } from '../page/if-available.js';
import { doneOf } from '../page/page.js';
import { Colleagues } from './colleagues.js';
import { type MerchantMode } from '#domain/merchants';

/** The place of a merchant's pages: the merchant and mode, its time zone, and its accounts in the mode. */
export interface Place extends MerchantMode {
  readonly name: string;
  readonly timezone: string;
  readonly accounts: readonly Account[];
  /** The base address of the pages, without a trailing slash. */
  readonly base: string;
}

export interface Account {
  readonly accountNo: string;
  readonly currency: string;
  /** The rails over which its money may move, M-Pesa first. */
  readonly channels: readonly string[];
}

/** Time that a page waits for the views to show the viewer's last action. */
const maxWaitMs = 2000;
/** Ids that a path may name as a merchant. Other texts are not looked up. */
const merchantPattern = /^[A-Za-z0-9-]{1,64}$/;

/** Finds the place of a request only by the merchant and mode in its path (POR-15). */
@Injectable()
export class Places {
  private readonly views: ViewProgress;

  constructor(
    private readonly database: ReadDatabase,
    private readonly store: EventStore,
    readonly people: Colleagues,
  ) {
    this.views = new ViewProgress(database);
  }

  /** @throws Problem not_found; DependencyUnavailable */
  async of(request: FastifyRequest): Promise<Place> {
    const { merchantId = '', mode = '' } = request.params as Partial<Record<string, string>>;
    if (!merchantPattern.test(merchantId) || !isMode(mode)) throw notFound();
    const profile = await findMerchant(this.database, merchantId);
    if (!profile) throw notFound();
    rememberMerchantName(request, profile.name);
    if (doneOf(request) !== undefined) await ifAvailable(this.catchUp());
    return placeOf(profile, mode);
  }

  /**
   * Waits until the views show the action of a person whom a form led to this page, unless the views are stopped
   * (POR-60).
   */
  private async catchUp(): Promise<void> {
    await this.views.reach(await this.store.head(projectedPrefixes), maxWaitMs);
  }
}

export function placeOf(
  { merchantId, name, timezone, accounts }: MerchantProfile,
  mode: Mode,
): Place {
  return {
    merchantId,
    mode,
    name,
    timezone,
    accounts: accounts
      .filter((account) => account.mode === mode)
      .map(({ accountNo, currency, channels }) => ({ accountNo, currency, channels })),
    base: `/portal/merchants/${encodeURIComponent(merchantId)}/${mode}`,
  };
}

/**
 * One of the place's accounts; the first if none is named.
 * @throws Problem not_found if the account is not the place's
 */
export function accountOf({ accounts }: Place, accountNo: string | undefined): Account {
  const account =
    accountNo === undefined ? accounts[0] : accounts.find((of) => of.accountNo === accountNo);
  if (!account) throw notFound();
  return account;
}

export function notFound(): Problem {
  return new Problem(httpErrors.not_found);
}

/**
 * The address of a collection's or payout's own page. It encodes the reference, which may have characters that a path
 * segment cannot.
 */
export function itemAddress(
  { base }: Pick<Place, 'base'>,
  { type, reference }: { readonly type: 'collection' | 'payout'; readonly reference: string },
): string {
  return `${base}/items/${type}/${encodeURIComponent(reference)}`;
}

/** The link to a collection's own page, named by its reference. */
export function collectionLink(place: Pick<Place, 'base'>, reference: string): Html {
  return html`<a href="${itemAddress(place, { type: 'collection', reference })}">${reference}</a>`;
}
