/** The open questions about a collection or a payout. */
export interface Questions<Why> {
  readonly underReview: boolean;
  /** The questions since the review began, each once and in that order. A decision or another status ends them. */
  readonly questions: readonly Why[];
}

interface Asked<Why> {
  readonly type: 'ReviewFlagged';
  readonly data: { readonly why: Why };
}

export const unasked = { underReview: false, questions: [] } as const;

export function withQuestion<Why>(
  { questions }: Questions<Why>,
  why: NoInfer<Why>,
): Questions<Why> {
  return { underReview: true, questions: [...questions.filter((other) => other !== why), why] };
}

/** Asks once per review, whatever other questions are open, because each is about other money. */
export function asked<Why>(
  why: NoInfer<Why>,
  { questions }: Questions<Why>,
): readonly Asked<Why>[] {
  return questions.includes(why) ? [] : [{ type: 'ReviewFlagged', data: { why } }];
}

/** The new status ends the review. Its unanswered questions are asked again in the same append. */
export function stillAsked<Why>(
  { questions }: Questions<Why>,
  unanswered: readonly NoInfer<Why>[],
): readonly Asked<Why>[] {
  const open = questions.filter((why) => unanswered.includes(why));
  return open.map((why) => ({ type: 'ReviewFlagged', data: { why } }));
}
