import { csvRow, csvText } from '#shared/statements';
import { type Act } from '#views/acts';

const columns = [
  ...['position', 'recorded_at', 'kind', 'event', 'actor', 'people', 'merchant_id', 'mode'],
  ...['stream', 'revision', 'reason', 'details', 'up_to'],
] as const;

/**
 * The acts as CSV (RFC 4180, CRLF, UTF-8), the oldest first, with people separated by spaces and details as JSON. Each
 * line gives the position of the log up to which the file goes. An apostrophe turns any text that a spreadsheet would
 * run as a formula into plain text.
 */
export async function* actsAsCsv(
  acts: AsyncIterable<Act>,
  upTo: bigint,
): AsyncGenerator<string, void, void> {
  yield csvRow(columns);
  for await (const act of acts)
    yield csvRow([
      ...[act.position.toString(), act.recordedAt, act.kind, act.type],
      ...[act.actor, act.people.join(' '), act.merchantId ?? '', act.mode ?? '', act.stream].map(
        csvText,
      ),
      ...[act.revision.toString(), csvText(act.reason ?? ''), csvText(JSON.stringify(act.details))],
      upTo.toString(),
    ]);
}

/** One JSON object a line, the oldest first, with the members of the CSV's columns. Positions are texts. */
export async function* actsAsNdjson(
  acts: AsyncIterable<Act>,
  upTo: bigint,
): AsyncGenerator<string, void, void> {
  for await (const act of acts)
    yield `${JSON.stringify({
      position: act.position.toString(),
      recorded_at: act.recordedAt,
      kind: act.kind,
      event: act.type,
      actor: act.actor,
      people: act.people,
      merchant_id: act.merchantId,
      mode: act.mode,
      stream: act.stream,
      revision: act.revision.toString(),
      reason: act.reason,
      details: act.details,
      up_to: upTo.toString(),
    })}\n`;
}
