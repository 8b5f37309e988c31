/**
 * The forms of a receipt that a typed text may mean: the text itself, and its capitals. M-Pesa writes receipts in
 * capitals, but another rail may use small letters (POR-59). Both forms are equalities, which the key of receipts serves.
 */
export function receiptForms(text: string): readonly string[] {
  return [...new Set([text, text.toUpperCase()])];
}
