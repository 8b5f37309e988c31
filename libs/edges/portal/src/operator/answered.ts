import { withDeadline } from '#infra/runtime';

/** The facts of a part of a page, or why they are not known. */
export type Told<Facts> = { readonly facts: Facts } | { readonly problem: string };

/** The limit is short because a person waits for the whole page. */
const partMs = 6000;

/** Reads a part of a page, so that its failure leaves the other parts. */
export async function answered<Facts>(tell: () => Promise<Facts>): Promise<Told<Facts>> {
  try {
    return { facts: await withDeadline(tell(), partMs, 'no answer in time') };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
