import { customerWords } from './customer-words.js';
import { type Texts } from './texts.js';

const askForNewLink = 'Rudi dukani uanze upya kutoka hapo.';

export const swahili: Texts = {
  name: 'Kiswahili',
  language: 'Lugha',
  testMode: 'Jaribio: si pesa halisi',
  pay: (merchant) => `Lipa ${merchant}`,
  order: 'Oda',
  phone: 'Nambari ya simu ya M-Pesa',
  phoneHint: 'Kwa mfano 0712 345 678. Ombi la malipo litatumwa kwa simu hii.',
  payButton: (amount) => `Lipa ${amount}`,
  sending: 'Inatuma …',
  pinNote: 'M-Pesa itakuomba PIN kwenye simu yako. Usiiandike kamwe kwenye ukurasa wa tovuti.',
  problem: 'Kuna tatizo',
  problemPrefix: 'Kosa: ',
  invalidPhone: 'Weka nambari ya Safaricom, kama vile 0712 345 678',
  staleForm:
    'Ukurasa huu ulikaa wazi kwa muda mrefu, au kivinjari chako kinakataa vidakuzi. Bonyeza kitufe tena',
  waiting: {
    title: 'Angalia simu yako',
    sent: (amount, phone) => `Tumetuma ombi la ${amount} kwa ${phone}.`,
    pin: 'Weka PIN yako ya M-Pesa hapo ili ulipe.',
    unsure: (amount, phone) =>
      `Tumeiomba M-Pesa itume ombi la ${amount} kwa ${phone}, lakini haijatujibu. Huenda ombi likaonekana kwenye simu yako, au lisije kabisa.`,
    unsurePin: 'Likionekana, weka PIN yako ya M-Pesa hapo ili ulipe.',
    unsureElse: (merchant, order) =>
      `Lisipokuja, uliza ${merchant} kabla ya kulipa kwa njia nyingine, na utaje oda ${order}.`,
    unsureLong:
      'M-Pesa haijatuambia kama simu yako iliombwa kulipa. Ikiwa M-Pesa ilikutumia risiti, umelipa: itunze. Ikiwa haikutuma, hatujui malipo yoyote.',
    unsureLongAsk: (merchant, order) =>
      `Usilipe tena kabla ya kuuliza ${merchant}. Taja oda ${order}.`,
    updates: 'Ukurasa huu utabadilika wenyewe ukishalipa.',
    longTitle: 'Tunasubiri M-Pesa',
    long: (merchant) =>
      `Ikiwa uliweka PIN yako, usilipe tena. M-Pesa itakapothibitisha, malipo yataonekana kwenye akaunti ya ${merchant} na kwenye ukurasa huu. Ikichukua muda mrefu, uliza ${merchant}.`,
    checkNow: 'Angalia sasa',
  },
  paid: {
    title: 'Imelipwa',
    text: (merchant, amount) => `${merchant} imepokea ${amount}.`,
    receipt: 'Risiti ya M-Pesa',
    on: 'Ililipwa',
    leads: (merchant, seconds) =>
      `Ukurasa huu utakurudisha kwa ${merchant} baada ya sekunde ${seconds}.`,
    done: 'Umemaliza. Unaweza kufunga ukurasa huu.',
  },
  failures: customerWords('sw'),
  otherFailure: {
    title: 'Malipo hayakufanikiwa',
    text: 'M-Pesa haikukubali ombi. Hakuna pesa zilizochukuliwa.',
  },
  tryAgain: 'Unaweza kujaribu tena, kwa nambari hii au nyingine.',
  tryAgainWithout: 'Weka nambari yako ili ujaribu tena.',
  startAgain: (merchant) => `Ili kulipa, rudi kwa ${merchant} uanze upya.`,
  checked: {
    title: 'Malipo yako yanakaguliwa',
    text: 'Pesa zimefika, lakini si kiasi cha oda hii. Usilipe tena: mtu anashughulikia. Uliza duka linaendeleaje, na ulionyeshe risiti yako ya M-Pesa.',
  },
  refunded: {
    title: 'Malipo yako yamerudishwa',
    text: 'Kiasi kilichofika si cha oda hii, na umerudishiwa.',
  },
  returnTo: (merchant) => `Rudi kwa ${merchant}`,
  nothingCharged: 'Hakuna pesa zilizochukuliwa.',
  noLink: {
    title: 'Huu ni ukurasa wa kulipia',
    text: 'Maduka huwaleta wateja wao hapa kwa kiungo cha malipo, kinachosema unalipa nani, kiasi gani na kwa nini. Anwani hii haina kiungo. Rudi dukani ubonyeze kitufe cha kulipa.',
  },
  faults: {
    malformed_link: {
      title: 'Kiungo hiki cha malipo hakijakamilika',
      text: `Sehemu yake haipo au imerudiwa. ${askForNewLink}`,
    },
    oversized_link: {
      title: 'Kiungo hiki cha malipo ni kirefu mno',
      text: `Haiwezekani kuwa duka lilikitengeneza hivi. ${askForNewLink}`,
    },
    invalid_link: {
      title: 'Kiungo hiki cha malipo si halali',
      text: `Kilibadilishwa njiani, au hakikutengenezwa na duka tunalolijua. ${askForNewLink}`,
    },
    expired_link: {
      title: 'Muda wa kiungo hiki cha malipo umekwisha',
      text: `Viungo vya malipo hudumu kwa dakika 15. ${askForNewLink}`,
    },
    early_link: {
      title: 'Kiungo hiki cha malipo bado hakijaanza kutumika',
      text: 'Saa ya duka iko mbele. Jaribu tena baada ya dakika chache.',
    },
    used_link: {
      title: 'Kiungo hiki cha malipo kilishatumika',
      text: `Kilitumika kwa oda nyingine. ${askForNewLink}`,
    },
    ambiguous_link: {
      title: 'Kiungo hiki cha malipo si salama',
      text: `Kiasi chake kingeweza kubadilishwa njiani. ${askForNewLink}`,
    },
    invalid_reference: {
      title: 'Kiungo hiki cha malipo hakifanyi kazi',
      text: 'Nambari yake ya oda haisomeki. Lijulishe duka.',
    },
    invalid_amount: {
      title: 'Kiasi hiki hakiwezi kulipwa',
      text: 'Kiasi kilicho kwenye kiungo si kile ambacho M-Pesa hukubali. Lijulishe duka.',
    },
    invalid_currency: {
      title: 'Sarafu hii haiwezi kulipwa',
      text: 'Duka halipokei sarafu hii hapa. Lijulishe duka.',
    },
    invalid_account: {
      title: 'Kiungo hiki cha malipo hakifanyi kazi',
      text: 'Akaunti iliyotajwa si ya duka. Lijulishe duka.',
    },
    invalid_return_url: {
      title: 'Kiungo hiki cha malipo hakifanyi kazi',
      text: 'Anwani ya kurudi haiko kwenye orodha ya duka. Lijulishe duka.',
    },
    another_amount: {
      title: 'Oda hii ina kiasi kingine',
      text: 'Malipo yenye nambari hii ya oda lakini kiasi kingine yalianzishwa hapo awali. Rudi dukani uulize ni kiasi gani sahihi.',
    },
    too_many_requests: {
      title: 'Umejaribu mara nyingi mno',
      text: 'Subiri dakika moja, kisha ujaribu tena.',
    },
    service_unavailable: {
      title: 'Hatuwezi kujibu kwa sasa',
      text: 'Subiri sekunde chache, kisha upakie ukurasa huu tena. Ni salama: huwezi kulipa mara mbili.',
    },
    internal_error: {
      title: 'Kuna hitilafu upande wetu',
      text: 'Pakia ukurasa huu tena. Ni salama: huwezi kulipa mara mbili.',
    },
  },
  forTheShop: 'Kwa duka',
  reference: 'Jinsi ya kutengeneza viungo vya malipo',
};
