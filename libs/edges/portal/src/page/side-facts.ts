import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../access/viewer.js';
import { type merchantPlaces, type platformPlaces } from './places.js';

type PlaceId = (typeof platformPlaces | typeof merchantPlaces)[number]['id'];

/** Places that show how much work waits there. */
export type CountedPlace = Extract<PlaceId, 'waiting' | 'reviews' | 'payouts' | 'webhooks'>;

/** Facts that the sidebar shows beside its places. Facts that could not be read in time are absent (POR-114). */
export interface SideFacts {
  readonly counts: Readonly<Partial<Record<CountedPlace, number>>>;
  /** Names of the viewer's own merchants, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** True if the merchant has or had a credential of V3 (POR-115). */
  readonly usesV3: boolean;
}

export const noSideFacts: SideFacts = { counts: {}, names: new Map(), usesV3: false };

/** A request for the facts of a viewer's page. */
export interface SideAsked {
  readonly viewer: Viewer;
  /** The path of the request. */
  readonly path: string;
  /** True to read them again, because the viewer has just done something. */
  readonly isFresh: boolean;
}

/** The source of the facts. Specs of other pages have none. */
export abstract class SideFactsReader {
  /** Never rejects, and answers within 100 ms. */
  abstract of(asked: SideAsked): Promise<SideFacts>;
}

const asked = new WeakMap<FastifyRequest, () => Promise<SideFacts>>();

/**
 * Reads the facts of a request while its page is read. A page that a form led to reads them after its content, so that
 * they show what the form did (POR-60).
 */
export function readSideFacts(
  request: FastifyRequest,
  reader: SideFactsReader,
  of: SideAsked,
): void {
  const started = of.isFresh ? undefined : reader.of(of);
  asked.set(request, () => started ?? reader.of(of));
}

/** The facts of a request, or undefined if it has none, as without a viewer. */
export function sideFactsOf(request: FastifyRequest): Promise<SideFacts> | undefined {
  return asked.get(request)?.();
}
