import { type BreakGlass, type HeldRole, type Person } from '#domain/people';
import { type Mode } from '#domain/kernel';
import { type Language } from '#shared/http';
import { type FastifyRequest } from 'fastify';

/** The viewer of a page: a person who is signed in, and the facts of the request that each page needs. */
export interface Viewer {
  readonly person: Person;
  /** The name as the issuer gives it; for display, never for a decision. */
  readonly name: string;
  readonly roles: readonly HeldRole[];
  /** True for a suspended admin, none of whose roles counts. */
  readonly isSuspended?: boolean;
  /** The pending announcement of a new admin; each page shows it (PEO-58). */
  readonly breakGlass?: BreakGlass | undefined;
  readonly language: Language;
  /** The token in each form of this session; `form` puts it there. */
  readonly formToken: string;
  /** The session's hash, as it is stored. */
  readonly sessionHash: Buffer;
  /** The mode in which a merchant's people begin; live by default. */
  readonly firstMode?: Mode;
  /** The merchant whose page it is; undefined on other pages. */
  readonly merchant: { readonly merchantId: string; readonly mode: Mode } | undefined;
}

const viewers = new WeakMap<FastifyRequest, Viewer>();

const merchantNames = new WeakMap<FastifyRequest, string>();

/** Keeps the name of the merchant of a request's pages, for the page's frame. */
export function rememberMerchantName(request: FastifyRequest, name: string): void {
  merchantNames.set(request, name);
}

/** The merchant's name, or undefined if it was not loaded. */
export function merchantNameOf(request: FastifyRequest): string | undefined {
  return merchantNames.get(request);
}

/** Keeps the viewer of a request. Only the guard calls it. */
export function rememberViewer(request: FastifyRequest, viewer: Viewer): void {
  viewers.set(request, viewer);
}

/** Forgets the viewer: after a sign-out, a person sees the page like anyone else. */
export function forgetViewer(request: FastifyRequest): void {
  viewers.delete(request);
}

/** @throws TypeError if the route is not behind `@Permits` or `@SignedIn` */
export function viewerOf(request: FastifyRequest): Viewer {
  const viewer = viewers.get(request);
  if (!viewer) throw new TypeError('a page asks for its viewer but is not authenticated');
  return viewer;
}

const passes = new WeakSet<FastifyRequest>();

/**
 * Lets an unknown viewer see the platform's status, because the service let them see the platform before (POR-80). Only
 * the guard calls it.
 */
export function rememberPass(request: FastifyRequest): void {
  passes.add(request);
}

/** True if sign-in and roles could not be checked, so that no merchant's data may be shown. */
export function isByPass(request: FastifyRequest): boolean {
  return passes.has(request);
}

/** The viewer, or undefined if no one is signed in; for pages that everyone may see. */
export function viewerIfAny(request: FastifyRequest): Viewer | undefined {
  return viewers.get(request);
}
