import { type MerchantMode } from '#domain/merchants';
import { personId } from '#domain/people';
import { Database, ReadDatabase } from '#infra/postgres';
import { withDeadline } from '#infra/runtime';
import { listWebhookHealth } from '#records/webhooks';
import { readFilterTotal } from '#views/day-figures';
import { merchantNames } from '#views/merchants';
import { countReviews } from '#views/reviews';
import { hadV3Credential } from '#views/v3-usage';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MerchantPagesOptions } from '../merchant/options.js';
import { WaitingForTwo } from '../operator/waiting.controller.js';
import { navigationOf } from '../page/navigation.js';
import {
  noSideFacts,
  type SideAsked,
  type SideFacts,
  SideFactsReader,
} from '../page/side-facts.js';

/** Age of facts that are read again. */
const maxAgeMs = 10_000;
/** Merchants, by mode, and operators whose facts a process keeps. */
const maxKept = 1000;

interface Load {
  readonly load: () => Promise<SideFacts>;
}

/**
 * Reads the sidebar's facts, at most once in ten seconds for each merchant and mode, and for each operator. So a page
 * costs no query for them (POR-114). A server that does not answer is asked once at a time.
 */
@Injectable()
export class CachedSideFacts extends SideFactsReader {
  /** Most time that a page waits for the facts. */
  protected readonly maxWaitMs: number = 100;
  readonly #kept = new LRUCache<string, SideFacts, Load>({
    max: maxKept,
    ttl: maxAgeMs,
    fetchMethod: (_key, _stale, { context }) => context.load(),
  });

  constructor(
    private readonly read: ReadDatabase,
    private readonly records: Database,
    private readonly waiting: WaitingForTwo,
    private readonly options: MerchantPagesOptions,
  ) {
    super();
  }

  override async of({ viewer, path, isFresh }: SideAsked): Promise<SideFacts> {
    const { merchant, groups } = navigationOf(viewer, path);
    if (groups.length === 0) return noSideFacts;
    if (!merchant) return this.platform(viewer, isFresh);
    const { at, others } = merchant;
    const ids = [at.merchantId, ...others.map(({ merchantId }) => merchantId)];
    // A merchant's page knows the merchant's own name, unlike a step-up or the list of sessions.
    const [facts, names] = await Promise.all([
      this.kept(`merchant ${at.mode} ${at.merchantId}`, () => this.ofMerchant(at), isFresh),
      others.length === 0 && path.startsWith('/portal/merchants/')
        ? noSideFacts
        : this.kept(`names ${ids.join(' ')}`, () => this.named(ids)),
    ]);
    return { ...facts, names: names.names };
  }

  /** Approvals are counted for each person: no one decides their own proposal. Roles may change at any time. */
  private platform(viewer: SideAsked['viewer'], isFresh: boolean): Promise<SideFacts> {
    const roles = viewer.roles.map(({ role }) => role).toSorted();
    const key = `platform ${roles.join(' ')} ${personId(viewer.person)}`;
    return this.kept(key, () => this.ofPlatform(viewer), isFresh);
  }

  private async kept(key: string, load: Load['load'], forceRefresh = false): Promise<SideFacts> {
    try {
      const found = this.#kept.fetch(key, { context: { load }, forceRefresh });
      return (
        (await withDeadline(found, this.maxWaitMs, 'the sidebar was not read in time')) ??
        noSideFacts
      );
    } catch {
      return noSideFacts;
    }
  }

  private async ofPlatform(viewer: SideAsked['viewer']): Promise<SideFacts> {
    const [shares, reviews] = await Promise.all([
      known(this.waiting.shares(viewer)),
      known(countReviews(this.read)),
    ]);
    const open = reviews?.reduce((sum, each) => sum + each.open, 0);
    return { ...noSideFacts, counts: present({ waiting: shares?.own, reviews: open }) };
  }

  private async ofMerchant(at: MerchantMode): Promise<SideFacts> {
    const [payouts, webhooks, usesV3] = await Promise.all([
      known(this.needingApproval(at)),
      known(this.failing(at)),
      known(hadV3Credential(this.read, at.merchantId)),
    ]);
    return { ...noSideFacts, counts: present({ payouts, webhooks }), usesV3: usesV3 ?? false };
  }

  private async needingApproval({ merchantId, mode }: MerchantMode): Promise<number> {
    const asked = {
      merchantId,
      mode,
      status: 'pending_approval',
      dateField: 'created_at',
    } as const;
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const total = await readFilterTotal(this.read, asked, bound);
    return Number(total?.currencies.reduce((sum, { count }) => sum + count, 0n) ?? 0n);
  }

  /** The merchant's endpoints in the mode whose last attempts failed. */
  private async failing({ merchantId, mode }: MerchantMode): Promise<number> {
    const health = await listWebhookHealth(this.records, merchantId);
    return health.filter((endpoint) => endpoint.mode === mode && endpoint.failures > 0).length;
  }

  private async named(ids: readonly string[]): Promise<SideFacts> {
    return { ...noSideFacts, names: await merchantNames(this.read, ids) };
  }
}

/** Returns undefined for a fact that cannot be read, so that the others are shown. */
async function known<Fact>(reading: Promise<Fact>): Promise<Fact | undefined> {
  try {
    return await reading;
  } catch {
    return undefined;
  }
}

function present(counts: {
  readonly [Name in keyof SideFacts['counts']]: SideFacts['counts'][Name] | undefined;
}): SideFacts['counts'] {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}
