/** Longer than whatever makes two answers wrong that the rail gives at one time (PAY-11, RAIL-15). */
export const maxApartMs = 60_000;
