import { type Mode } from '#domain/kernel';
import { type Rate } from '#infra/runtime';

/** The issuer of identities, and who we are to it. */
export interface IssuerOptions {
  /** OIDC_ISSUER, as in its tokens. */
  readonly issuer: string;
  /** OIDC_CLIENT_ID. */
  readonly clientId: string;
  /** OIDC_CLIENT_SECRET; undefined where the issuer knows us as a public client. */
  readonly clientSecret: string | undefined;
  /** OIDC_STEP_UP_ACR: which `acr` counts as a proof of presence; empty: what the issuer lists decides. */
  readonly stepUpAcr: readonly string[];
}

/** Requests of one person over all sessions (POR-54): far more than ten browsers with pages that refresh themselves make. */
const ofAPerson: Rate = { limit: 40, intervalMs: 1000, burst: 400 };

/** What is not the same everywhere, beside what each has to be told. */
interface OtherOptions {
  /** In which mode a merchant's people begin: demo where no live rail is set, since there is nothing else to see. */
  readonly firstMode?: Mode;
  /** Most requests that one person may make, over all sessions. */
  readonly personRate?: Rate | undefined;
}

/** What of the settings this edge needs; the app provides it under this class. */
export class PortalOptions {
  readonly firstMode: Mode;
  readonly personRate: Rate;

  constructor(
    /** PORTAL_URL: an origin, without a trailing slash; people open the portal there and nowhere else. */
    readonly url: string,
    /** Undefined where OIDC_ISSUER is not set: then nothing is served but a page that says so. */
    readonly issuer: IssuerOptions | undefined,
    /** PLATFORM_TIMEZONE: that of operators' pages. */
    readonly timezone: string,
    { firstMode = 'live', personRate = ofAPerson }: OtherOptions = {},
  ) {
    this.firstMode = firstMode;
    this.personRate = personRate;
  }
}
