import { type Payout, payoutViewOf } from '#domain/payouts';
import { type World } from '../core/world.js';
import { payoutStreamOf } from '../names.js';
import { invariants } from './invariants.js';
import { type Oracle } from './oracle.js';

/** What must be true of every payout once nothing goes wrong any more and all has come to rest. */
export function checkPayouts(world: World, oracle: Oracle): void {
  const { payoutPlan, views } = oracle.fixture;
  oracle.payouts.wallets.finish(oracle.payouts.streams(), views);
  oracle.payouts.batches.finish();
  oracle.payouts.rulings.finish();
  const asked = [...payoutPlan.payouts, ...payoutPlan.batches.flatMap(({ items }) => items)];
  for (const stream of new Set(asked.map(({ reference }) => payoutStreamOf(reference)))) {
    const state = oracle.payouts.stateOf(stream);
    checkNumber(world, oracle, stream);
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
  const isRight = step === 'declined' ? status === 'failed' : status.startsWith('pending');
  if (step === undefined ? status.startsWith('pending') : !isRight)
    world.violate(invariants.statusIsFold, `${stream} is ${status}, and open: ${String(step)}`);
  const isStuck = state.status === 'requested' || (status === 'pending' && !state.underReview);
  if (isStuck) world.violate(invariants.payoutsEnd, `${stream} is still ${state.status}`);
  if (state.status === 'failed' && state.paidLate)
    world.violate(invariants.payoutsEnd, `${stream} was paid late, and is not posted`);
}

function checkPayment(world: World, oracle: Oracle, { stream, state }: Checked): void {
  const orders = oracle.fixture.payoutRail.ordersOf(stream);
  const paidMinor = oracle.fixture.payoutRail.paidFor(stream);
  const postedMinor = state.status === 'completed' ? state.request.amountMinor : 0n;
  // Where the rail refused the order, or was asked to the last delay, and never told of the payment, only its statement
  // shows it.
  const isReported = orders.some(({ isPaymentReported }) => isPaymentReported);
  const { queries, delaysMs } = oracle.fixture.payouts;
  const isAskedToTheEnd = (queries.get(stream)?.asked ?? 0) >= delaysMs.length;
  const isRefused = orders.every((order) => order.isRefused);
  const isUnreported = state.status === 'failed' && !isReported && (isRefused || isAskedToTheEnd);
  if (paidMinor === postedMinor || isUnreported || oracle.payouts.isReviewed(stream)) return;
  world.violate(
    invariants.payoutsMatchTheRail,
    `the rail paid ${paidMinor} for ${stream}, which is ${state.status}`,
  );
}

function checkNumber(world: World, oracle: Oracle, stream: string): void {
  const { status } = oracle.payouts.stateOf(stream);
  const kept = [...oracle.fixture.payouts.phones.values()].filter((row) => row.stream === stream);
  const isNeeded = ['requested', 'reserved', 'approved'].includes(status);
  const isOpen = isNeeded || status === 'started';
  if (isOpen ? isNeeded && kept.length === 0 : kept.length > 0)
    world.violate(invariants.numbersAreForgotten, `${stream} is ${status}, ${kept.length} kept`);
}
