import { type DeskAction, type Item, type NamedItem, type PossibleDecision } from '#desk/operators';

/** The command to paste for an action. If a person must fill in a value, it is in capitals. */
export function commandLine(action: DeskAction): string {
  return `npx pesapost ${wordsOf(action).join(' ')}`;
}

function wordsOf(action: DeskAction): readonly string[] {
  switch (action.do) {
    case 'read_history':
      return action.item.type === 'correction'
        ? ['correction show', action.item.reference, '--mode', action.item.mode]
        : ['history', target(action.item)];
    case 'read_review':
      return ['review show', target(action.item)];
    case 'read_status':
      return ['status'];
    case 'find':
      return ['find', action.word];
    case 'resolve_review':
      return [
        ...['review resolve', target(action.item), '--decision', action.decision],
        ...statementPayment(action.payment),
        ...reasonOf(action.reason),
      ];
    case 'open_review': {
      const { receipt, amountMinor, paidAt } = action.payment;
      return [
        ...['review open', target(action.item)],
        ...['--receipt', receipt, '--amount', `${amountMinor}`],
        ...(paidAt === undefined ? [] : ['--paid-at', paidAt]),
        ...reasonOf(action.reason),
      ];
    }
    case 'propose_correction':
      return correctionWords(action);
    case 'confirm_correction':
      return ['correction confirm', action.id, '--mode', action.mode];
  }
}

/** The command that proposes a possible decision. */
export function resolveCommand(
  { type, key }: Item,
  { decision, payment }: Pick<PossibleDecision, 'decision' | 'payment'>,
): string {
  return commandLine({
    do: 'resolve_review',
    item: { type, ...key },
    decision,
    ...(payment === 'none' ? {} : { payment }),
  });
}

/** The command that confirms the open proposal of an item. */
export function confirmCommand({ type, key }: Item, proposalId: string): string {
  return `npx pesapost review confirm ${target({ type, ...key })} --proposal ${proposalId}`;
}

function correctionWords({
  merchantId = 'MERCHANT',
  mode,
  currency,
  movement: { id, legs, corrects, receipt, mayOverdraw },
  reason,
}: Extract<DeskAction, { do: 'propose_correction' }>): readonly string[] {
  const moved = legs.filter(({ amountMinor }) => amountMinor !== 0n);
  return [
    `correction post --merchant ${merchantId} --mode ${mode} --currency ${currency}`,
    ...moved.map(({ account, amountMinor }) => `--leg ${account}=${amountMinor}`),
    ...(id === undefined ? [] : ['--id', id]),
    ...(corrects === undefined ? [] : ['--corrects', quoted(corrects)]),
    ...(receipt === undefined ? [] : ['--receipt', receipt]),
    ...(mayOverdraw ? ['--may-overdraw'] : []),
    ...reasonOf(reason),
  ];
}

function statementPayment(
  payment: Extract<DeskAction, { do: 'resolve_review' }>['payment'],
): readonly string[] {
  if (payment === undefined) return [];
  const amount = payment === 'any_amount' ? 'MINOR' : `${payment.amountMinor}`;
  return ['--receipt RECEIPT', '--amount', amount, '[--paid-at TIME]'];
}

/** The actor is the signed-in person or, if no issuer is set, the one named by `--as` (PEO-11). */
function reasonOf(reason = 'WHY'): readonly string[] {
  return ['--reason', `"${reason}"`];
}

function target({ type, reference, merchantId, mode }: NamedItem): string {
  return `${quoted(reference)} --type ${type} --merchant ${merchantId} --mode ${mode}`;
}

/** Quotes a text as one word for the shell, because a merchant's reference may have any characters. */
export function quoted(text: string): string {
  return /^[\w.:/~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
