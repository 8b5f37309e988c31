import { type BreakGlass, type HeldRole, type Person } from '#domain/people';
import { type Mode } from '#domain/kernel';
import { type Language } from '#shared/http';
import { type FastifyRequest } from 'fastify';

/** Who looks at a page: a person who is signed in, and what of the request each page needs. */
export interface Viewer {
  readonly person: Person;
  /** As the issuer tells it; for people, never for a decision. */
  readonly name: string;
  readonly roles: readonly HeldRole[];
  /** True for an admin who is suspended: no role of theirs counts. */
  readonly isSuspended?: boolean;
  /** The announcement of a new admin that waits; each page says so (PEO-58). */
  readonly breakGlass?: BreakGlass | undefined;
  readonly language: Language;
  /** Stands in each form of this session (`form` puts it there). */
  readonly formToken: string;
  /** The session's, as it is stored. */
  readonly sessionHash: Buffer;
  /** In which mode a merchant's people begin; live unless said. */
  readonly firstMode?: Mode;
  /** On a merchant's pages, whose they are. */
  readonly merchant: { readonly merchantId: string; readonly mode: Mode } | undefined;
}

const viewers = new WeakMap<FastifyRequest, Viewer>();

const merchantNames = new WeakMap<FastifyRequest, string>();

/** What the merchant of a request's pages is called, for the page's frame. */
export function rememberMerchantName(request: FastifyRequest, name: string): void {
  merchantNames.set(request, name);
}

/** Undefined where nobody has looked the merchant up. */
export function merchantNameOf(request: FastifyRequest): string | undefined {
  return merchantNames.get(request);
}

/** For the guard alone. */
export function rememberViewer(request: FastifyRequest, viewer: Viewer): void {
  viewers.set(request, viewer);
}

/** Who signs out sees a page as anybody does. */
export function forgetViewer(request: FastifyRequest): void {
  viewers.delete(request);
}

/** @throws TypeError where the route is not behind `@Permits` or `@SignedIn` */
export function viewerOf(request: FastifyRequest): Viewer {
  const viewer = viewers.get(request);
  if (!viewer) throw new TypeError('a page asks for its viewer but is not authenticated');
  return viewer;
}

const passes = new WeakSet<FastifyRequest>();

/** For the guard alone: nobody knows who it is, but the service has let them see the platform before (POR-80). */
export function rememberPass(request: FastifyRequest): void {
  passes.add(request);
}

/** True if sign-in and roles could not be checked, so that no merchant's data may be shown. */
export function isByPass(request: FastifyRequest): boolean {
  return passes.has(request);
}

/** For pages that anybody may see: undefined where nobody is signed in. */
export function viewerIfAny(request: FastifyRequest): Viewer | undefined {
  return viewers.get(request);
}
