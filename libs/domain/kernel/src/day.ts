const form = /^([0-9]{2})([0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/;

/**
 * True for `YYYY-MM-DD`, a day that the calendar has. The database uses the proleptic calendar, which has no year 0.
 */
export function isCalendarDay(value: unknown): value is string {
  const parts = typeof value === 'string' ? form.exec(value) : null;
  if (!parts) return false;
  const [, century = '', ofCentury = '', month = '', day = ''] = parts;
  if (`${century}${ofCentury}` === '0000') return false;
  // Numeric texts of the same length sort like their numbers.
  if (month === '02') return day <= (isLeap(century, ofCentury) ? '29' : '28');
  return day <= (['04', '06', '09', '11'].includes(month) ? '30' : '31');
}

function isLeap(century: string, ofCentury: string): boolean {
  return BigInt(ofCentury === '00' ? century : ofCentury) % 4n === 0n;
}
