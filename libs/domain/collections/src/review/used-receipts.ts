import { type Mode } from '#domain/kernel';

/** Answers which collections bear a receipt of the rail. */
export abstract class UsedReceipts {
  /**
   * The streams of the mode's collections that bear the receipt, as of the log's end at the question.
   * @throws DependencyUnavailable
   */
  abstract streamsWith(mode: Mode, receipt: string): Promise<readonly string[]>;
}

/** @returns whether no other collection than the stream's own has the receipt */
export async function isReceiptFree(
  receipts: UsedReceipts,
  use: { readonly mode: Mode; readonly stream: string; readonly receipt: string | undefined },
): Promise<boolean> {
  if (use.receipt === undefined) return true;
  const users = await receipts.streamsWith(use.mode, use.receipt);
  return users.every((stream) => stream === use.stream);
}
