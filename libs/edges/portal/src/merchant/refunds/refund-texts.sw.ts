import { type RefundTexts } from './refund-texts.js';

export const swahili: RefundTexts = {
  action: 'Rejesha pesa',
  title: (reference) => `Rejesha ${reference}`,
  intro: 'Pesa hurudi kwa mteja aliyelipa. Marejesho hayana ada, na ada ya malipo hairudishwi.',
  how: 'Kiasi cha kurejesha',
  whole: (amount) => `Malipo yote, ${amount}`,
  wholeHint: 'M-Pesa huyarudisha malipo yenyewe. Huhitaji nambari ya simu.',
  part: 'Sehemu ya malipo',
  partHint: 'PesaPost hutuma kiasi kwa nambari iliyolipa.',
  left: (amount) => `Hadi ${amount} zinaweza kurejeshwa.`,
  phone: 'Nambari iliyolipa',
  phoneHint: (masked) => `Andika nambari yote iliyolipa: ${masked}.`,
  reference: 'Kumbukumbu ya marejesho',
  check: 'Kagua marejesho',
  checkIntro: 'Bado hakuna kilichoombwa. Linganisha muhtasari, kisha uombe marejesho.',
  submit: 'Omba marejesho',
  summaryHint: 'Kiasi, mpokeaji na salio litakalobaki huonekana hapa kabla hujaomba chochote.',
  way: 'Jinsi zinavyorudi',
  ways: { reversed: 'M-Pesa huyarudisha malipo', sent: 'Hutumwa kwa nambari iliyolipa' },
  leftAfter: 'Yatakayobaki kurejeshwa',
  short: 'Akaunti haina pesa za kutosha kwa marejesho haya.',
  done: {
    refund_asked: 'Marejesho yameombwa. Mtu mwingine anapaswa kuidhinisha.',
    refund_existing: 'Marejesho haya yaliombwa tayari. Hakuna kilichofanyika mara mbili.',
  },
  confirm: { approve: 'Idhinisha marejesho haya', reject: 'Kataa marejesho haya' },
  sum: 'Zilizorejeshwa',
  list: 'Marejesho',
  states: { open: 'Yanasubiri', paid: 'Yamerejeshwa', released: 'Hayakurejeshwa' },
  marks: {
    pending: 'Marejesho yanasubiri',
    partial: 'Imerejeshwa kwa sehemu',
    refunded: 'Imerejeshwa',
  },
  correct: 'Sahihisha (zilirejeshwa kwa mkono)',
  problems: {
    amount: 'Weka kiasi kama 1250 au 1250.50.',
    phone: 'Weka nambari ya simu ya Kenya, kama 0712345678.',
    reference:
      'Kumbukumbu huanza na herufi au tarakimu na ina hadi herufi 64, tarakimu na . _ : / -',
    phone_in_reference: 'Kumbukumbu isiwe na nambari ya mteja.',
    reference_taken:
      'Malipo mengine ya kutoka au marejesho yana kumbukumbu hii. Chagua kumbukumbu nyingine.',
    no_rail: 'Marejesho hayapatikani katika hali hii.',
    not_refundable:
      'Malipo haya hayawezi kurejeshwa. Hayajakamilika, PesaPost inayakagua, au hakuna kilichobaki.',
    exceeds: 'Hiki ni zaidi ya kilichobaki cha malipo.',
    invalid_amount: 'M-Pesa haiwezi kutuma kiasi hiki kwa nambari. Weka kiasi kingine.',
    only_whole:
      'M-Pesa huficha nambari iliyolipa, hivyo malipo haya hurudishwa yote tu. Wasiliana na PesaPost na utaje kumbukumbu.',
    phone_needed: 'Andika nambari iliyolipa. M-Pesa yenyewe hairudishi kiasi hiki.',
    phone_differs: 'Hii si nambari iliyolipa. Marejesho hayaendi kwa nambari nyingine.',
    destination_not_allowed:
      'Nambari hii haimo kwenye orodha ya nambari zinazoweza kulipwa. PesaPost hutunza orodha hiyo.',
    limit_exceeded: 'Hii ni zaidi ya kikomo cha malipo moja au cha siku moja.',
    insufficient_funds: 'Akaunti haina pesa za kutosha kwa marejesho haya.',
    unbound_holder:
      'PesaPost haijui wewe ni mtu gani katika hali hii. Omba PesaPost ikufunge na mshikaji wako.',
    role_lost: 'Huna tena jukumu la hili. Mwombe msimamizi wa PesaPost.',
  },
};
