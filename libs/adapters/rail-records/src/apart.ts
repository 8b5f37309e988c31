/** Longer than any cause that makes two of the rail's answers wrong at one time (PAY-11, RAIL-15). */
export const maxApartMs = 60_000;
