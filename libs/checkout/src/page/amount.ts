import { type Minor } from '#kernel';
import { decimalFromMinor } from '../link/decimal-amount.js';

/** An amount as people read it, `KES 1,250.00`; the same in both languages. The space does not break. */
export function shownAmount(currency: string, minor: Minor): string {
  return `${currency}\u00a0${decimalFromMinor(minor).replace(/\B(?=(?:\d{3})+(?=\.))/g, ',')}`;
}
