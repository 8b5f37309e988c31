/** How long a fresh sign-in counts for what needs one (POR-11, PEO-13). */
export const stepUpCountsMs = 5 * 60_000;

/** What a page in between cannot relay (OpenID's EAP ACR values), the strongest first. */
const phishingResistant = ['phrh', 'phr'];
/** In the setting: any fresh sign-in is enough. */
const any = 'any';

/** What a step-up asks an issuer for. */
export interface StepUpProof {
  /** `acr_values`, the best first; empty: nothing but a fresh sign-in. */
  readonly asked: readonly string[];
  /** Whether an answer with another `acr` is refused. */
  readonly isRequired: boolean;
}

/**
 * How a person proves presence (POR-10): by what OIDC_STEP_UP_ACR names, else by what no page in between can relay, where
 * the issuer lists that, else by any fresh sign-in.
 * @param set OIDC_STEP_UP_ACR
 * @param offered `acr_values_supported` of the issuer
 */
export function stepUpProof(set: readonly string[], offered: readonly string[]): StepUpProof {
  const strongest = phishingResistant.filter((acr) => offered.includes(acr));
  if (set.includes(any)) return { asked: strongest, isRequired: false };
  const asked = set.length > 0 ? set : strongest;
  return { asked, isRequired: asked.length > 0 };
}

/** The difference between the clocks of two machines that are in order. */
const skewMs = 10_000;

/** The moments of one answer of an issuer. */
export interface SeenAt {
  /** `auth_time`, by the issuer's clock. */
  readonly authenticatedAt: Date;
  /** `iat`, by the issuer's clock. */
  readonly issuedAt: Date;
  /** The time at which the answer arrived, by our clock. */
  readonly now: Date;
}

/**
 * True if an issuer saw the person after they were sent to it, and not only at a sign-in of before (PEO-50). The age of the
 * sign-in is measured by the issuer's clock alone, and the time since then by ours: no difference between the clocks counts.
 * @param begunAtMs the time at which the person was sent, by our clock
 */
export function wasSeenSince(
  begunAtMs: number,
  { authenticatedAt, issuedAt, now }: SeenAt,
): boolean {
  const ageMs = issuedAt.getTime() - authenticatedAt.getTime();
  const isSane = authenticatedAt.getTime() >= begunAtMs - skewMs;
  return isSane && ageMs <= now.getTime() - begunAtMs;
}

/** @param acr as the identity token has it */
export function isStepUp({ asked, isRequired }: StepUpProof, acr: unknown): boolean {
  return !isRequired || asked.some((one) => one === acr);
}
