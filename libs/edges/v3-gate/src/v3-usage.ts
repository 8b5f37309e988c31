/** In the place of a merchant: nobody who proved who they are. Their calls are no merchant's use of V3. */
export const unknownV3Caller = '';
/** In the place of a merchant: some merchant that a replica could not count apart. */
export const unattributedV3Caller = '*';

/** Calls of a merchant on one route on one day (YYYY-MM-DD, UTC). */
export interface V3Calls {
  readonly day: string;
  readonly merchantId: string;
  readonly route: string;
  readonly calls: number;
}

/** SHA-1 checkout links of a merchant on one day. */
export interface V3CheckoutLinks {
  readonly day: string;
  readonly merchantId: string;
  readonly links: number;
  /** Of them, those whose digits can move into or out of `ttl` under the same hash. */
  readonly movable: number;
}

/** Collections of a merchant through V3, on one day, whose reference holds the customer's number. */
export interface V3PhoneReferences {
  readonly day: string;
  readonly merchantId: string;
  readonly collections: number;
}

/** A stretch of one day in which a replica counted every call. */
export interface V3Counting {
  readonly day: string;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** What a replica counted since it last wrote. */
export interface V3Counts {
  readonly calls: readonly V3Calls[];
  readonly links: readonly V3CheckoutLinks[];
  readonly phoneReferences: readonly V3PhoneReferences[];
  readonly counting: readonly V3Counting[];
}

/** Where V3's use is counted, over all replicas. */
export abstract class V3Usage {
  /**
   * Adds what was counted, all of it or nothing. Where the commit's answer is lost the caller adds it again, so the
   * counts err to the side of use.
   * @throws DependencyUnavailable
   */
  abstract add(counts: V3Counts): Promise<void>;
}
