import { type HomeTexts } from './home-texts.js';
import { countText } from '../../text/count-text.js';

export const swahili: HomeTexts = {
  needsYou: 'Yanahitaji hatua yako',
  nothing: 'Hakuna kinachohitaji hatua yako.',
  approvals: (count) => `Malipo ya kutoka ${countText(count)} yanahitaji idhini`,
  reviews: (count) => `Malipo ${countText(count)} yanakaguliwa`,
  failing: (kind, times) => `Anwani ya webhook ya ${kind} imeshindwa mara ${times} mfululizo`,
  ending: (holder, days) =>
    days === 0
      ? `Muda wa ufunguo wa API wa ${holder} umekwisha`
      : `Muda wa ufunguo wa API wa ${holder} utakwisha baada ya siku ${days}`,
  span: 'Siku 30 zilizopita',
  today: 'Zilizokusanywa leo',
  yesterday: 'Zilizokusanywa jana',
  paidOutOn: (amount, count) =>
    count === 0n ? 'Hakuna malipo ya kutoka' : `${amount} zimelipwa kwa malipo ${countText(count)}`,
  noEarlier: 'Hakuna malipo ya awali',
  collected: 'Zilizokusanywa',
  paidOut: 'Zilizolipwa nje',
  successRate: 'Kiwango cha mafanikio',
  available: 'Inayopatikana',
  ofFinished: (completed, finished) => `${countText(completed)} kati ya ${countText(finished)}`,
  noneFinished: 'Hakuna yaliyomalizika bado',
  payments: (count) => `Malipo ${countText(count)}`,
  payouts: (count) => `Malipo ya kutoka ${countText(count)}`,
  up: (percent) => `${percent} zaidi ya siku 30 za awali`,
  down: (percent) => `${percent} pungufu ya siku 30 za awali`,
  same: 'Sawa na siku 30 za awali',
  points: (points) => `Pointi ${points} kulinganisha na siku 30 za awali`,
  reserved: (amount) => `${amount} zimetengwa kwa malipo ya kutoka`,
  notReserved: 'Hakuna zilizotengwa',
  collectedADay: 'Zilizokusanywa kwa siku',
  outcomesADay: 'Malipo kwa matokeo kwa siku',
  completed: 'Yaliyokamilika',
  failed: 'Yaliyoshindikana',
  pending: 'Yanayosubiri',
  balance: (account) => `Salio mwisho wa siku, akaunti ${account}`,
  reasons: 'Sababu za kushindikana',
  trends: 'Mwenendo',
  latest: 'Miamala ya karibuni',
  all: 'Miamala yote',
  unavailable: 'Takwimu hazisomeki kwa sasa. Pakia ukurasa tena baada ya dakika moja.',
  empty: {
    text: 'Bado hakuna miamala',
    todo: 'Wasanidi wako wataunda makusanyo ya kwanza kwa API.',
  },
};
