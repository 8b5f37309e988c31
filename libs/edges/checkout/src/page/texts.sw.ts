import { customerWords } from './customer-words.js';
import { type Texts } from './texts.js';

const askForNewLink = 'Rudi dukani uanze upya kutoka hapo.';

export const swahili: Texts = {
  name: 'Kiswahili',
  language: 'Lugha',
  pay: (merchant) => `Lipa ${merchant}`,
  order: 'Oda',
  phone: 'Nambari ya simu ya M-Pesa',
  phoneHint: 'Kwa mfano 0712 345 678. Tutatuma ombi la malipo kwa simu hii.',
  payButton: (amount) => `Lipa ${amount}`,
  sending: 'Inatuma …',
  pinNote: 'M-Pesa itakuomba PIN kwenye simu yako. Usiiandike kamwe kwenye ukurasa wa tovuti.',
  problem: 'Kuna tatizo',
  problemPrefix: 'Kosa: ',
  invalidPhone: 'Weka nambari ya Safaricom, kama vile 0712 345 678',
  staleForm: 'Ukurasa huu ulikaa wazi mno, au kivinjari chako kinazuia vidakuzi. Jaribu tena',
  waiting: {
    title: 'Angalia simu yako',
    sent: (amount, phone) => `Tumetuma ombi la ${amount} kwa ${phone}.`,
    pin: 'Weka PIN yako ya M-Pesa hapo ili ulipe.',
    unsure: (amount, phone) =>
      `Tumeiomba M-Pesa itume ombi la ${amount} kwa ${phone}, lakini haijajibu. Huenda ombi bado likaonekana.`,
    unsurePin: 'Likionekana, weka PIN yako ya M-Pesa ili ulipe.',
    unsureElse: (merchant, order) =>
      `Lisipoonekana, uliza ${merchant} kabla ya kulipa kwa njia nyingine. Taja oda ${order}.`,
    unsureLong:
      'Hatujui kama M-Pesa ilituma ombi. Ikiwa una risiti ya M-Pesa, umelipa: itunze. Kama huna, hatujui malipo yoyote.',
    unsureLongAsk: (merchant, order) =>
      `Usilipe tena kabla ya kuuliza ${merchant}. Taja oda ${order}.`,
    updates: 'Ukurasa huu utabadilika ukishalipa.',
    longTitle: 'Tunasubiri M-Pesa',
    long: (merchant) =>
      `Ikiwa uliweka PIN yako, usilipe tena. Ukurasa huu utaonyesha malipo M-Pesa ikithibitisha. Ikichukua muda mrefu, uliza ${merchant}.`,
    checkNow: 'Angalia sasa',
  },
  paid: {
    title: 'Imelipwa',
    text: (merchant, amount) => `Umelipa ${merchant} ${amount}.`,
    receipt: 'Risiti ya M-Pesa',
    on: 'Ililipwa',
    leads: (merchant, seconds) => `Utarudi kwa ${merchant} baada ya sekunde ${seconds}.`,
    done: 'Unaweza kufunga ukurasa huu.',
  },
  failures: customerWords('sw'),
  otherFailure: {
    title: 'Malipo yameshindikana',
    text: 'M-Pesa ilikataa ombi. Hakuna pesa zilizochukuliwa.',
  },
  tryAgain: 'Unaweza kujaribu tena kwa nambari hii au nyingine.',
  tryAgainWithout: 'Weka nambari yako ili ujaribu tena.',
  startAgain: (merchant) => `Ili kulipa, rudi kwa ${merchant} uanze upya.`,
  checked: {
    title: 'Malipo yako yanakaguliwa',
    text: 'M-Pesa ilituma kiasi tofauti na cha oda. Usilipe tena. Lionyeshe duka risiti yako ya M-Pesa.',
  },
  refunded: {
    title: 'Malipo yako yamerudishwa',
    text: 'Ulilipa kiasi tofauti na cha oda, hivyo umerudishiwa.',
  },
  returnTo: (merchant) => `Rudi kwa ${merchant}`,
  nothingCharged: 'Hakuna pesa zilizochukuliwa.',
  noLink: {
    title: 'Kiungo cha malipo hakipo',
    text: 'Maduka hukuleta hapa kwa kiungo cha malipo. Anwani hii haina kiungo. Rudi dukani ubonyeze kitufe cha kulipa.',
  },
  faults: {
    malformed_link: {
      title: 'Kiungo hiki cha malipo hakijakamilika',
      text: `Sehemu yake haipo au imerudiwa. ${askForNewLink}`,
    },
    oversized_link: {
      title: 'Kiungo hiki cha malipo ni kirefu mno',
      text: `Duka haliwezi kuwa lilikitengeneza hivi. ${askForNewLink}`,
    },
    invalid_link: {
      title: 'Kiungo hiki cha malipo si halali',
      text: `Kilibadilishwa, au kilitengenezwa na duka tusilolijua. ${askForNewLink}`,
    },
    expired_link: {
      title: 'Muda wa kiungo hiki cha malipo umekwisha',
      text: `Viungo vya malipo hufanya kazi kwa dakika 15. ${askForNewLink}`,
    },
    early_link: {
      title: 'Kiungo hiki cha malipo bado hakijaanza',
      text: 'Saa ya duka iko mbele. Jaribu tena baada ya dakika chache.',
    },
    used_link: {
      title: 'Kiungo hiki cha malipo kilishatumika',
      text: `Kilitumika kwa oda nyingine. ${askForNewLink}`,
    },
    ambiguous_link: {
      title: 'Kiungo hiki cha malipo si salama',
      text: `Kiasi chake kingeweza kubadilishwa. ${askForNewLink}`,
    },
    invalid_reference: {
      title: 'Kiungo hiki cha malipo hakifanyi kazi',
      text: 'Nambari yake ya oda haisomeki. Lijulishe duka.',
    },
    invalid_amount: {
      title: 'Kiasi hiki hakiwezi kulipwa',
      text: 'M-Pesa haiwezi kuchukua kiasi kilicho kwenye kiungo. Lijulishe duka.',
    },
    invalid_currency: {
      title: 'Sarafu hii haiwezi kulipwa',
      text: 'Duka halipokei sarafu hii hapa. Lijulishe duka.',
    },
    invalid_account: {
      title: 'Kiungo hiki cha malipo hakifanyi kazi',
      text: 'Kiungo kinataja akaunti isiyo ya duka. Lijulishe duka.',
    },
    invalid_return_url: {
      title: 'Kiungo hiki cha malipo hakifanyi kazi',
      text: 'Anwani ya kurudi ya duka haiko kwenye orodha yake. Lijulishe duka.',
    },
    another_amount: {
      title: 'Oda hii ina kiasi tofauti',
      text: 'Malipo ya oda hii yalianzishwa kwa kiasi kingine. Uliza duka ni kiasi gani sahihi.',
    },
    too_many_requests: {
      title: 'Umejaribu mara nyingi',
      text: 'Subiri dakika moja, kisha ujaribu tena.',
    },
    service_unavailable: {
      title: 'Hatuwezi kujibu kwa sasa',
      text: 'Subiri sekunde chache, kisha pakia ukurasa huu tena. Hutalipa mara mbili.',
    },
    internal_error: {
      title: 'Kuna hitilafu',
      text: 'Pakia ukurasa huu tena. Hutalipa mara mbili.',
    },
  },
  forTheShop: 'Kwa duka',
  reference: 'Jinsi ya kutengeneza viungo vya malipo',
};
