import { type Mode } from '#domain/kernel';
import { type Rate } from '#infra/runtime';

/** The issuer of identities, and how it knows the portal. */
export interface IssuerOptions {
  /** OIDC_ISSUER, as in its tokens. */
  readonly issuer: string;
  /** OIDC_CLIENT_ID. */
  readonly clientId: string;
  /** OIDC_CLIENT_SECRET; undefined if the issuer knows the portal as a public client. */
  readonly clientSecret: string | undefined;
  /**
   * OIDC_STEP_UP_ACR: the `acr` values that count as a proof of presence. If it is empty, the issuer's own list
   * decides. With live data only `phr` and `phrh` count (PresenceRule).
   */
  readonly stepUpAcr: readonly string[];
}

/**
 * Rate of requests of one person over all sessions (POR-54): far more than ten browsers with pages that refresh
 * themselves make.
 */
const ofAPerson: Rate = { limit: 40, intervalMs: 1000, burst: 400 };

/** Options with defaults. */
interface OtherOptions {
  /** The mode in which a merchant's people begin: demo if no live rail is set, because there is nothing else to see. */
  readonly firstMode?: Mode;
  /** True if an issuer that says that it cannot prove presence is refused at start: live mode, unless ALLOW_UNSAFE lifts it. */
  readonly refusesWeakIssuer?: boolean;
  /** Most requests that one person may make, over all sessions. */
  readonly personRate?: Rate | undefined;
}

/** Settings that this edge needs. The app provides them under this class. */
export class PortalOptions {
  readonly firstMode: Mode;
  readonly refusesWeakIssuer: boolean;
  readonly personRate: Rate;

  constructor(
    /** PORTAL_URL: an origin, without a trailing slash. People open the portal only there. */
    readonly url: string,
    /** Undefined if OIDC_ISSUER is not set: then the portal only serves a page that says so. */
    readonly issuer: IssuerOptions | undefined,
    /** PLATFORM_TIMEZONE, the time zone of operators' pages. */
    readonly timezone: string,
    { firstMode = 'live', refusesWeakIssuer = false, personRate = ofAPerson }: OtherOptions = {},
  ) {
    this.firstMode = firstMode;
    this.refusesWeakIssuer = refusesWeakIssuer;
    this.personRate = personRate;
  }
}
