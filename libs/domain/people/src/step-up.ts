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

/** @param acr as the identity token has it */
export function isStepUp({ asked, isRequired }: StepUpProof, acr: unknown): boolean {
  return !isRequired || asked.some((one) => one === acr);
}
