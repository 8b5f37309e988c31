import { viewOf } from '#domain/collections';
import { type World } from '../core/world.js';
import { streamOf } from '../names.js';
import { type Oracle } from './oracle.js';
import { invariants } from './invariants.js';
import { checkPayouts } from './payouts-end.js';

/** Checks every collection and payout once there are no more faults and nothing is left to do. */
export function checkEnd(world: World, oracle: Oracle, references: readonly string[]): void {
  oracle.finish();
  for (const row of oracle.fixture.records.inbox.values())
    if (!row.isApplied)
      world.violate(
        invariants.inboxEmpties,
        `one for ${row.stream} waits: ${row.outcome ?? 'untried'}`,
      );
  for (const reference of references) checkCollection(world, oracle, streamOf(reference));
  checkPayouts(world, oracle);
}

function checkCollection(world: World, oracle: Oracle, stream: string): void {
  const { log, records, books } = oracle.fixture;
  const state = oracle.stateOf(stream);
  const prompt = books.pushOf(stream);
  const paidMinor = prompt?.paidMinor;
  if (state.status === 'none') {
    if (prompt) world.violate(invariants.everythingEnds, `${stream} was pushed without an intent`);
    return;
  }
  // A report of an untrusted sender that no query corroborated is no excuse.
  const isLeftInInbox = [...records.inbox.values()].some(
    (row) =>
      row.stream === stream && row.trusted && row.outcome?.startsWith('left_for_review') === true,
  );
  const isDecided = log.stream(stream).some(({ type }) => type === 'ReviewDecided');
  const isReviewed = state.underReview || isLeftInInbox || isDecided;
  if (state.status === 'pending' && !isReviewed)
    world.violate(invariants.everythingEnds, `${stream} is still pending`);
  const isOver = isAskedToTheEnd(oracle, stream);
  const { railReference } = viewOf(state);
  if (paidMinor !== undefined && state.status === 'failed' && !isLeftInInbox && !isOver)
    world.violate(invariants.paidIsAccountedFor, `${stream} was paid and is ${state.status}`);
  if (state.status === 'failed' && railReference !== undefined && !isOver)
    world.violate(invariants.declinedIsAskedAbout, `${stream} is ${state.status}`);
  if (state.status !== 'completed') return;
  // Only a callback reports a different amount. If none arrived, the requested amount is posted.
  const isAmountKnown = prompt?.isReported === true;
  if (paidMinor === undefined || (state.postedMinor !== paidMinor && isAmountKnown && !isReviewed))
    world.violate(
      invariants.completedWasPaid,
      `${stream} is completed with ${state.postedMinor}, the rail took ${String(paidMinor ?? 'nothing')}`,
    );
}

/**
 * True if the final query of the schedule was made and the rail did not say "paid": then the payment cannot be known.
 */
function isAskedToTheEnd({ fixture }: Oracle, stream: string): boolean {
  const last = fixture.records.attempts.get(stream)?.get(fixture.timetable.delaysMs.length);
  return last !== undefined && /^(declined|unresolved|unanswered)/.test(last.outcome);
}
