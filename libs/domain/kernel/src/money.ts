/** An amount of money in minor units of its currency (KES 250.00 is 25000n). */
export type Minor = bigint;

const minorText = /^-?(0|[1-9][0-9]*)$/;

/** Whether the text is an amount in the one form that history uses: no leading zeros, no plus, no spaces. */
export function isMinorText(text: string): boolean {
  return minorText.test(text) && text !== '-0';
}

/** @throws RangeError where the text is not an amount in canonical form: a defect, since only our own text comes here. */
export function parseMinor(text: string): Minor {
  if (!isMinorText(text))
    throw new RangeError(`not an amount in minor units: ${text.slice(0, 40)}`);
  return BigInt(text);
}

export function formatMinor(amount: Minor): string {
  return amount.toString();
}
