import { html } from '#shared/html';
import { type Texts } from './texts.js';

export const swahili: Texts = {
  name: 'Kiswahili',
  portal: 'Tovuti ya PesaPost',
  skip: 'Ruka hadi maudhui',
  navigation: 'Kurasa',
  merchantNavigation: 'Kurasa za mfanyabiashara',
  language: 'Lugha',
  signIn: 'Ingia',
  signOut: 'Toka',
  signedInAs: 'Umeingia kama',
  modes: {
    demo: { title: 'Majaribio', text: 'Hakuna pesa halisi hapa.' },
    live: { title: 'Halisi', text: 'Hizi ni pesa halisi.' },
  },
  faults: {
    sign_in_required: {
      title: 'Ingia kwanza',
      text: 'Kipindi chako kiliisha kabla fomu haijafika. Hakuna kilichofanyika. Ingia, kisha tuma fomu tena.',
    },
    forbidden: {
      title: 'Majukumu yako hayaruhusu hili',
      text: 'Hakuna kilichofanyika. Kama kazi yako inalihitaji, omba jukumu kwa msimamizi.',
    },
    no_role: {
      title: 'Bado huna jukumu hapa',
      text: 'Umeingia, lakini hakuna aliyekupa jukumu. Mwombe msimamizi, na umtajie kitambulisho chako kilicho hapa chini.',
    },
    suspended: {
      title: 'Umesimamishwa',
      text: 'Msimamizi mwingine amekusimamisha, na hakuna jukumu lako linalohesabika. Wasimamizi wengine wawili huondoa hilo. Bado unaweza kuzuia tangazo la msimamizi mpya, likisubiri.',
    },
    other_site: {
      title: 'Fomu ilitoka kwenye tovuti nyingine',
      text: 'Hakuna kilichofanyika. Kama hukutuma fomu sasa hivi, ukurasa mwingine ulijaribu kwa jina lako: wajulishe wahusika wa usalama. Vinginevyo fungua ukurasa hapa na ujaribu tena.',
    },
    other_person: {
      title: 'Mtu mwingine ameingia',
      text: 'Hakuna kilichofanyika. Mtoa utambulisho alimtaja mtu mwingine, si mwenye kipindi hiki.',
    },
    stale_form: {
      title: 'Fomu hii ni ya kipindi kingine',
      text: 'Hakuna kilichofanyika. Umeingia upya tangu ukurasa ulipofunguliwa. Pakia ukurasa tena na ujaze fomu upya.',
    },
    stale_confirmation: {
      title: 'Uthibitisho huu umekwisha',
      text: 'Hakuna kilichofanyika sasa. Uthibitisho hufanya kazi mara moja, kwa dakika tano, kwa kile tu kilichoonyeshwa. Angalia kama tayari kilifanyika; kama sivyo, anza tena.',
    },
    selection: {
      title: 'Chagua kimoja hadi hamsini',
      text: 'Hakuna kilichofanyika. Rudi, uchague unachotaka kuamua pamoja: angalau kimoja, hamsini zaidi.',
    },
    changed: {
      title: 'Imebadilika wakati huo',
      text: 'Hakuna kilichofanyika. Ulichoamua si tena kama ukurasa wako ulivyoonyesha. Rudi, pakia ukurasa tena na ukiangalie upya.',
    },
    new_admin_announced: {
      title: 'Msimamizi mpya ametangazwa',
      text: 'Hakuna kilichofanyika. Msimamizi huyu bado anaweza kuzuia tangazo. Hadi liishe, yeye tu anaweza kumaliza vipindi vyake.',
    },
    sign_in_failed: {
      title: 'Kuingia hakukufaulu',
      text: 'Jibu la mtoa utambulisho halikuaminika, lilichelewa, au ni la dirisha lingine. Jaribu tena.',
    },
    weak_proof: {
      title: 'Uthibitisho huo hautoshi',
      text: 'Hakuna kilichofanyika. Hili linahitaji uthibitisho wenye nguvu zaidi kwamba ni wewe, kama ufunguo wa siri (passkey): tumia wako, au uongeze mmoja kwa mtoa utambulisho kisha uanze tena.',
    },
    too_many_requests: {
      title: 'Maombi ni mengi mno',
      text: 'Subiri kidogo, kisha jaribu tena.',
    },
    not_found: {
      title: 'Hakuna ukurasa kama huu',
      text: 'Huenda anwani imekosewa, au si wako kuuona.',
    },
    invalid_request: {
      title: 'Ombi halikusomeka',
      text: 'Hakuna kilichofanyika. Rudi nyuma, pakia ukurasa tena na ujaribu mara nyingine.',
    },
    method_not_allowed: {
      title: 'Anwani hii haipokei ombi kama hili',
      text: 'Hakuna kilichofanyika. Fungua ukurasa na utumie fomu yake.',
    },
    payload_too_large: {
      title: 'Ni kubwa mno',
      text: 'Hakuna kilichofanyika. Tuma kidogo kwa mara moja.',
    },
    unsupported_media_type: {
      title: 'Hii si fomu ya tovuti hii',
      text: 'Hakuna kilichofanyika. Fungua ukurasa na utumie fomu yake.',
    },
    provider_unavailable: {
      title: 'Hakuna anayeweza kuingia sasa hivi',
      text: 'Mtoa utambulisho hajibu. Aliyeingia tayari anabaki ameingia. Jaribu tena baada ya muda mfupi.',
    },
    service_unavailable: {
      title: 'Ukurasa hauwezi kuonyeshwa sasa hivi',
      text: 'Seva inayohitajika haijibu. Jaribu tena baada ya muda mfupi. Kama ulituma fomu, angalia kwanza kama ilitekelezwa.',
    },
    internal_error: {
      title: 'Kuna hitilafu hapa',
      text: 'Ni kosa letu, na limeandikwa kwenye kumbukumbu zetu. Kama ulituma fomu, angalia kwanza kama ilitekelezwa.',
    },
  },
  errorPrefix: 'Hitilafu: ',
  requestId: 'Kitambulisho cha ombi',
  yourId: 'Kitambulisho chako',
  firstPage: 'Nenda ukurasa wa kwanza',
  problem: 'Kuna tatizo',
  optional: 'si lazima',
  next: 'Ukurasa unaofuata',
  chartTable: 'Takwimu kama jedwali',
  notSetUp: {
    title: 'Tovuti hii haijawekwa tayari',
    text: 'Inahitaji mtoa utambulisho (OpenID Connect). Weka OIDC_ISSUER, OIDC_CLIENT_ID na, kwa mteja wa siri, OIDC_CLIENT_SECRET; weka PORTAL_URL iwe anwani ambayo watu wanaifungulia tovuti; sajili anwani ya kurudi iliyo hapa chini kwa mtoa utambulisho; kisha anzisha huduma upya.',
  },
  redirectAddress: 'Anwani ya kurudi',
  signedOut: {
    title: 'Umetoka',
    text: 'Vipindi vyako vimekwisha, katika kila kivinjari na kila mstari wa amri.',
    again: 'Ingia tena',
    atProvider: 'Toka pia kwa mtoa utambulisho',
  },
  sessions: {
    title: 'Vipindi vyako',
    text: 'Umeingia hapa, mahali kumi zaidi. Kata kipindi usichokijua, na uwaambie walinzi wa mifumo yenu. Kutoka hukata vyote.',
    whose: 'Mtu',
    none: 'Mtu huyo hajaingia popote.',
    kind: 'Wapi',
    kinds: { browser: 'Kivinjari', command_line: 'Mstari wa amri' },
    openedAt: 'Uliingia',
    lastUsedAt: 'Kilitumika mwisho',
    endsAt: 'Kitaisha kisipotumika',
    whatEnds: 'Kikate',
    thisOne: 'Kivinjari hiki',
    endButton: 'Kata kipindi hiki',
    endAllButton: 'Toka kila mahali',
    ended: 'Kipindi kimekatwa.',
  },
  breakGlass: {
    title: 'Msimamizi mpya ametangazwa',
    banner: (name, at) => html`<b>${name}</b> atakuwa msimamizi ${at}, msimamizi asipozuia.`,
    look: 'Angalia tangazo',
    none: 'Hakuna msimamizi mpya aliyetangazwa.',
    text: 'Wasimamizi wanaoweza kufanya kazi ni chini ya wawili, kwa hiyo mwenye mashine ametangaza mpya. Msimamizi yeyote anaweza kuzuia, hata aliyesimamishwa. Usipojua kwa nini hili linatokea, lizuie na uwaite walinzi wa mifumo yenu.',
    name: 'Jina',
    person: 'Kitambulisho',
    by: 'Ametangazwa na',
    reason: 'Sababu',
    announcedAt: 'Ilitangazwa',
    takesEffectAt: 'Itaanza',
    stopReason: 'Kwa nini unazuia',
    stopButton: 'Zuia',
    stopped: 'Tangazo limezuiwa.',
    refusals: {
      not_admin: 'Msimamizi pekee huzuia. Mwite mmoja.',
      none_announced: 'Hakuna tangazo linalosubiri tena.',
      reason: 'Toa sababu, ya herufi 500 zaidi.',
    },
  },
  stepUp: {
    ask: 'Thibitisha unachotaka kufanya',
    why: 'Hili linahitaji uthibitisho mpya kwamba ni wewe. Mtoa utambulisho atakuuliza, kisha atakurudisha hapa. Hakuna kitakachofanyika kabla ya hapo.',
    proveButton: 'Thibitisha kwamba ni mimi',
    proved:
      'Mtoa utambulisho amethibitisha kwamba ni wewe. Tekeleza ndani ya dakika tano; hufanya kazi mara moja.',
    notAnew:
      'Mtoa utambulisho alijibu, lakini hakukuuliza upya, kwa hiyo hakuna kilichothibitishwa. Thibitisha tena. Asipokuuliza safari hii pia, waambie walinzi wa mifumo yenu.',
    carryOutButton: 'Tekeleza sasa',
    cancel: 'Usifanye chochote',
  },
  stepUpActions: {
    'reviews.open': 'Kufungua ukaguzi',
    'reviews.decide': 'Kuamua ukaguzi',
    'corrections.decide': 'Kuamua marekebisho',
    'proposals.decide': 'Kuamua badiliko linalohitaji wasimamizi wawili',
    'roles.decide': 'Kuamua kuhusu jukumu',
    'payouts.approve': 'Kuamua malipo ya kutoka',
    'payouts.resume': 'Kuruhusu malipo tena',
    'keys.change': 'Kubadilisha funguo au vitambulisho',
    'webhooks.change': 'Kubadilisha anwani ya webhook',
    'evidence.open': 'Kufungua ushahidi uliofungwa',
    'sessions.end': 'Kukata vipindi vya mtu',
    'terms.change': 'Kubadilisha masharti ya mfanyabiashara',
  },
};
