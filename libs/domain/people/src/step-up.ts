/** A fresh sign-in counts for this long for actions that need one (POR-11, PEO-13). */
export const stepUpCountsMs = 5 * 60_000;

/** Proofs that no page in between can relay (OpenID's EAP ACR values), the strongest first. */
const phishingResistant = ['phrh', 'phr'];
/**
 * The values that count with live data (POR-10): those of OIDC_STEP_UP_ACR that no page in between can relay, else all
 * of them.
 * @param set OIDC_STEP_UP_ACR
 */
export function strongOnly(set: readonly string[]): readonly string[] {
  const strong = set.filter((acr) => phishingResistant.includes(acr));
  return strong.length > 0 ? strong : phishingResistant;
}

/** The setting's value by which any fresh sign-in is enough. */
const any = 'any';

/** The request of a step-up to an issuer. */
export interface StepUpProof {
  /** `acr_values`, the best first; empty if a fresh sign-in is enough. */
  readonly asked: readonly string[];
  /** True if an answer with another `acr` is refused. */
  readonly isRequired: boolean;
}

/**
 * Returns the proof of presence (POR-10): the values of OIDC_STEP_UP_ACR; else proofs that no page in between can
 * relay, if the issuer lists them; else any fresh sign-in.
 * @param set OIDC_STEP_UP_ACR
 * @param offered `acr_values_supported` of the issuer
 */
export function stepUpProof(set: readonly string[], offered: readonly string[]): StepUpProof {
  const strongest = phishingResistant.filter((acr) => offered.includes(acr));
  if (set.includes(any)) return { asked: strongest, isRequired: false };
  const asked = set.length > 0 ? set : strongest;
  return { asked, isRequired: asked.length > 0 };
}

/** The clocks of two healthy machines differ by no more than this. */
const skewMs = 10_000;

/** The times in an issuer's answer. */
export interface SeenAt {
  /** `auth_time`, by the issuer's clock. */
  readonly authenticatedAt: Date;
  /** `iat`, by the issuer's clock. */
  readonly issuedAt: Date;
  /** The time at which the answer arrived, by our clock. */
  readonly now: Date;
}

/**
 * True if the issuer saw the person after we sent them to it, and not only at an earlier sign-in (PEO-50). The age of
 * the sign-in is measured by the issuer's clock only, and the time since then by ours, so a difference between the
 * clocks does not matter.
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

/** Ways to prove oneself (`amr`, RFC 8176) that a page in between can relay. */
const relayed: ReadonlySet<unknown> = new Set(['pwd', 'otp', 'sms', 'tel', 'kba', 'mca', 'mfa']);

/**
 * True if a token calls a proof phishing-resistant, but names only ways that a page in between can relay. The
 * provider's table of `acr` values then calls a password `phr`.
 * @param amr as in the identity token; without it nothing can be said
 */
export function isMislabelled(acr: unknown, amr: unknown): boolean {
  if (!phishingResistant.some((one) => one === acr) || !Array.isArray(amr)) return false;
  return amr.length > 0 && amr.every((way) => relayed.has(way));
}

/** @param acr as in the identity token */
export function isStepUp({ asked, isRequired }: StepUpProof, acr: unknown): boolean {
  return !isRequired || asked.some((one) => one === acr);
}
