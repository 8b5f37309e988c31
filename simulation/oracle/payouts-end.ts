import { type Payout, payoutViewOf } from '#domain/payouts';
import { msFromInstant } from '#domain/kernel';
import { openRailMessage } from '#shared/signing';
import { type World } from '../core/world.js';
import { payoutStreamOf } from '../names.js';
import { keyring } from '../processes/parts.js';
import { invariants } from './invariants.js';
import { type Oracle } from './oracle.js';

/** Checks every payout once there are no more faults and nothing is left to do. */
export function checkPayouts(world: World, oracle: Oracle): void {
  const { payoutPlan, views } = oracle.fixture;
  oracle.payouts.wallets.finish(oracle.payouts.streams(), views);
  oracle.payouts.batches.finish();
  oracle.payouts.rulings.finish();
  const asked = [...payoutPlan.payouts, ...payoutPlan.batches.flatMap(({ items }) => items)];
  for (const stream of new Set(asked.map(({ reference }) => payoutStreamOf(reference)))) {
    const state = oracle.payouts.stateOf(stream);
    checkNumber(world, oracle, stream);
    checkRecognised(world, oracle, stream);
    checkTold(world, oracle, { stream, status: state.status });
    if (state.status === 'none') continue;
    checkStatus(world, oracle, { stream, state });
    checkPayment(world, oracle, { stream, state });
  }
}

interface Checked {
  readonly stream: string;
  readonly state: Exclude<Payout, { readonly status: 'none' }>;
}

function checkStatus(world: World, oracle: Oracle, { stream, state }: Checked): void {
  const { views } = oracle.fixture;
  const { status } = payoutViewOf(state);
  const row = views.rows.get(stream);
  if (row?.status !== status || row.under_review !== state.underReview)
    world.violate(invariants.statusIsFold, `${stream} is ${String(row?.status)}, not ${status}`);
  const step = views.payouts.open.get(stream)?.step;
  const isRight =
    step === 'declined' || step === 'refused' ? status === 'failed' : status.startsWith('pending');
  if (step === undefined ? status.startsWith('pending') : !isRight)
    world.violate(invariants.statusIsFold, `${stream} is ${status}, and open: ${String(step)}`);
  const isStuck = !state.underReview && (state.status === 'requested' || status === 'pending');
  if (isStuck) world.violate(invariants.payoutsEnd, `${stream} is still ${state.status}`);
  if (state.status === 'failed' && state.paidLate)
    world.violate(invariants.payoutsEnd, `${stream} was paid late, and is not posted`);
}

function checkPayment(world: World, oracle: Oracle, { stream, state }: Checked): void {
  const orders = oracle.fixture.books.ordersOf(stream);
  const paidMinor = oracle.fixture.books.paidFor(stream);
  const postedMinor = state.status === 'completed' ? state.request.amountMinor : 0n;
  // If the rail refused the order, or was asked to the last delay, and never reported the payment, only its statement
  // shows it.
  const isReported =
    orders.some(({ isPaymentReported }) => isPaymentReported) || isEnquired(oracle, stream);
  const { queries, delaysMs } = oracle.fixture.payouts;
  const isAskedToTheEnd = (queries.get(stream)?.asked ?? 0) >= delaysMs.length;
  const isRefused = orders.every((order) => order.isRefused);
  const isUnreported = state.status === 'failed' && !isReported && (isRefused || isAskedToTheEnd);
  // If the log has lost a payout that was not approved again, the rail is not asked about it. Its reports are listed
  // instead.
  const isLost = oracle.fixture.payouts.lost.has(stream) && !('originatorConversationId' in state);
  if (isLost && (!isReported || isTold(oracle, stream))) return;
  if (paidMinor === postedMinor || isUnreported || oracle.payouts.isReviewed(stream)) return;
  world.violate(
    invariants.payoutsMatchTheRail,
    `the rail paid ${paidMinor} for ${stream}, which is ${state.status}`,
  );
}

/** Checks that the rail's reports about a payout that the log has lost are listed, whatever its state here. */
function checkTold(
  world: World,
  oracle: Oracle,
  { stream, status }: { readonly stream: string; readonly status: Payout['status'] },
): void {
  if (status !== 'none' && status !== 'rejected') return;
  const orders = oracle.fixture.books.ordersOf(stream);
  const isReported = orders.some((order) => order.isPaymentReported);
  if (isReported && !isTold(oracle, stream))
    world.violate(invariants.payoutsMatchTheRail, `${stream} is ${status}, and nothing is listed`);
}

/** True if an enquiry that says "paid" is durable. Airtel reports a payment in no other way. */
function isEnquired({ fixture }: Oracle, stream: string): boolean {
  const [order] = fixture.airtelPayouts.ordersOf(stream);
  if (!order) return false;
  const said = `"id":"${order.originatorConversationId}","status":"TS"`;
  return [...fixture.records.inbox.values()].some(
    (row) => row.stream === stream && openRailMessage(keyring, row).includes(said),
  );
}

function isTold({ fixture }: Oracle, stream: string): boolean {
  return [...fixture.records.inbox.values()].some(
    (row) => row.stream === stream && row.told !== undefined,
  );
}

/** Checks that the rail's own name for an order counts from the moment at which the log has it. */
function checkRecognised(world: World, oracle: Oracle, stream: string): void {
  const { log, records, books } = oracle.fixture;
  const accepted = log.stream(stream).find(({ type }) => type === 'RailPayoutAccepted');
  const [order] = books.ordersOf(stream);
  if (!accepted || !order) return;
  const acceptedAtMs = msFromInstant(accepted.recordedAt);
  for (const row of records.inbox.values()) {
    if (row.stream !== stream || row.outcome !== 'left_for_review: other_payment') continue;
    const isNamed = openRailMessage(keyring, row).includes(`"${order.conversationId}"`);
    if (isNamed && row.trusted && row.receivedAtMs > acceptedAtMs)
      world.violate(invariants.ownIsRecognised, `a result of ${stream} was left for review`);
  }
}

function checkNumber(world: World, oracle: Oracle, stream: string): void {
  const { status } = oracle.payouts.stateOf(stream);
  const kept = [...oracle.fixture.payouts.phones.values()].filter((row) => row.stream === stream);
  const isNeeded = ['requested', 'reserved', 'approved'].includes(status);
  const isOpen = isNeeded || status === 'started';
  if (isOpen ? isNeeded && kept.length === 0 : kept.length > 0)
    world.violate(invariants.numbersAreForgotten, `${stream} is ${status}, ${kept.length} kept`);
}
