import { type DeveloperTexts } from './developer-texts.js';

export const swahili: DeveloperTexts = {
  merchant: 'Mfanyabiashara',
  mode: 'Hali ya mfumo',
  modes: { live: 'halisi: pesa halisi', demo: 'majaribio: si pesa halisi' },
  before: 'Sasa',
  after: 'Mpya',
  reason: 'Sababu',
  reasonHint: 'Huhifadhiwa katika kumbukumbu ya shughuli. Usimtaje mteja.',
  reasonProblems: {
    words_length: 'Andika herufi 1 hadi 500.',
    words_unseen: 'Ondoa alama zisizoonekana.',
    words_hold_phone: 'Ondoa nambari ya simu. Maandishi haya huhifadhiwa milele.',
  },
  changed: 'Mtu mwingine amebadilisha hili. Hakuna kilichofanywa. Angalia kisha ujaribu tena.',
  secretTitle: 'Hifadhi siri hii sasa',
  secretOnce:
    'Siri hii huonyeshwa mara hii moja tu. Ihifadhi mahali ambapo mifumo yako husoma siri.',
  team: {
    title: 'Timu',
    caption: 'Watu wenye ufikiaji',
    name: 'Jina',
    role: 'Jukumu',
    since: 'Tangu',
    roles: { developer: 'Msanidi', finance: 'Fedha', owner: 'Mmiliki' },
    empty: 'Bado hakuna watu wenye ufikiaji',
    ask: 'Mpe mwenzako ufikiaji',
    decided:
      'Wasimamizi wa PesaPost huamua kuhusu kila jukumu. Jukumu linalohamisha pesa huhitaji wawili.',
    steps: [
      'Mwenzako aingie katika tovuti hii mara moja. Ukurasa humwonyesha kitambulisho chake.',
      'Tuma kwa PesaPost kitambulisho, jina, jukumu na sababu: msanidi, fedha au mmiliki.',
      'Ili kuondoa jukumu, tuma hayo hayo. Msimamizi mmoja anatosha, na huanza ndani ya sekunde moja.',
    ],
  },
  keys: {
    add: 'Ongeza ufunguo wa API',
    manage: 'Simamia',
    title: (name) => `Ufunguo wa API ${name}`,
    makeKey: 'Tengeneza jozi ya funguo kwenye mashine yako. Bandika nusu ya wazi tu:',
    publicKey: 'Ufunguo wa wazi (PEM)',
    publicKeyHint:
      'RSA ya biti 2048 au zaidi, unaoanza na -----BEGIN PUBLIC KEY-----. Usibandike kamwe ufunguo wa siri.',
    keyProblems: {
      not_an_rsa_public_key:
        'Huu si ufunguo wa wazi wa RSA katika PEM. Kama ni wa siri, tengeneza jozi mpya.',
      rsa_key_too_small: 'Ufunguo una biti chini ya 2048.',
      rsa_key_too_large: 'Ufunguo una biti zaidi ya 8192.',
    },
    holderHint: 'Mtu au mfumo unaotumia ufunguo. Tumia jina lile lile unapobadilisha ufunguo.',
    holderProblems: {
      holder_form: 'Andika herufi 1 hadi 500, na si kitambulisho cha mtu.',
      words_hold_phone: 'Ondoa nambari ya simu. Jina huhifadhiwa milele.',
    },
    ipsHint: 'Anwani na masafa ya CIDR, kama 203.0.113.7, 2001:db8::/48.',
    ipsProblems: {
      not_ips: 'Andika anwani au masafa ya CIDR 1 hadi 100 za IPv4 au IPv6, kwa koma.',
    },
    everybody: 'Orodha hii ina kila anwani. Taja anwani zako mwenyewe.',
    ipsDemo: 'Orodha hutumika ndani ya sekunde moja.',
    ipsLive:
      'Orodha finyu zaidi hutumika ndani ya sekunde moja. Ili kuongeza anwani, omba PesaPost: wasimamizi wawili huamua.',
    saveIps: 'Hifadhi IP zinazoruhusiwa',
    revoke: 'Futa ufunguo huu',
    revokeHow:
      'Ufunguo huacha kufanya kazi kila mahali ndani ya sekunde moja. Haiwezi kutenguliwa.',
    revokeDo: 'Futa ufunguo',
    compromised: 'Huenda mtu mwingine ameutumia. Malipo ulioyaomba au kuyaidhinisha hayatatumwa.',
    clientSecret: 'Siri ya mteja wa API',
    back: 'Rudi kwa funguo za API',
    liveNeedsTwo:
      'Ufunguo halisi wa API unaweza kutuma pesa halisi, kwa hiyo wasimamizi wawili wa PesaPost huutoa.',
    adminProposes: 'Katika hali halisi hili ni pendekezo. Msimamizi mwingine hulithibitisha.',
    sendThis: 'Tuma haya kwa PesaPost:',
    sendSteps: [
      'Faili ya ufunguo wa wazi, kamwe si wa siri. Toa alama yake ya SHA-256 kwa njia nyingine.',
      'Mshikaji: mtu au mfumo utakaotumia ufunguo.',
      'Anwani ambazo utaita kutoka.',
    ],
    refusals: {
      key_taken: 'Kitambulisho kingine kina ufunguo huu. Tengeneza jozi mpya ya funguo.',
      similar_holder:
        'Kuna mshikaji mwenye jina karibu sawa. Andika jina kama lilivyo katika orodha yako ya funguo.',
      unknown_merchant: 'Mfanyabiashara huyu hayupo.',
      unknown_credential: 'Ufunguo huu hautumiki tena.',
      not_admin:
        'Katika hali halisi, wasimamizi wawili wa PesaPost huamua. Watumie orodha yako mpya.',
      no_admins: 'Katika hali halisi, wasimamizi wawili wa PesaPost huamua, na bado hawapo.',
      changed: 'Mtu mwingine amebadilisha hili. Hakuna kilichofanywa. Angalia kisha ujaribu tena.',
    },
    done: {
      ips_set: 'IP zinazoruhusiwa zimehifadhiwa.',
      key_revoked: 'Ufunguo umefutwa.',
      key_proposed: 'Limependekezwa. Msimamizi mwingine atalithibitisha ndani ya saa 24.',
    },
  },
  failed: {
    open: 'Tuma tena zote zilizoshindwa',
    title: 'Tuma tena webhook zilizoshindwa',
    intro:
      'Hesabu webhook zilizoshindwa tangu wakati fulani. Hakuna kitakachotumwa hadi uthibitishe.',
    day: 'Tangu siku',
    clock: 'Saa',
    clockHint: 'Kama 14:30',
    count: 'Hesabu webhook zilizoshindwa',
    wrongTime: 'Andika siku na saa iliyopita, kama 14:30.',
    none: 'Hakuna webhook zilizoshindwa',
    noneTodo: 'Webhook zilizofikia wakati wake tayari zinatumwa.',
    since: 'Tangu',
    found: (count, isMore) =>
      isMore ? `Webhook ${count} au zaidi zimeshindwa` : `Webhook ${count} zimeshindwa`,
    bounded: (max) => `Hutumwa zisizozidi ${max} kwa mara moja, za zamani kwanza.`,
    resend: (count) => `Tuma tena webhook ${count}`,
    outcomes: 'Matokeo ya kila webhook',
    sending: 'Inatumwa',
    problems: {
      no_endpoint: 'Hakuna anwani',
      disabled: 'Anwani imezimwa',
      no_words: 'Haimo katika V3',
      gone: 'Haipatikani sasa',
    },
    more: (count) => `Nyingine ${count} zimeshindwa. Tuma fomu hii tena ili kuzituma.`,
  },
  endpoint: {
    add: 'Ongeza anwani',
    manage: 'Simamia',
    title: (kind) => `Anwani ya webhook ${kind}`,
    setUrl: 'URL',
    save: 'Hifadhi anwani',
    urlLabel: 'URL ya anwani',
    urlHint: 'Kwa mfano https://shop.example/webhooks. Matukio hutumwa kwa POST.',
    urlProblems: {
      no_url: 'Andika URL kamili, kama https://shop.example/webhooks.',
      not_https: 'URL lazima ianze na https://.',
      has_credentials: 'Ondoa jina na nenosiri. Kagua sahihi badala yake.',
      has_fragment: 'Ondoa sehemu iliyo baada ya #.',
      too_long: 'URL iwe na herufi zisizozidi 2048.',
      has_phone: 'Ondoa nambari ya simu. URL huhifadhiwa milele.',
      not_public: 'Seva hii haiko kwenye intaneti ya umma.',
    },
    standard: 'Tuma pia vichwa vya standard-webhooks',
    failuresTo: 'Tuma taarifa za hitilafu kwa',
    failuresHint:
      'Si lazima. Anwani moja ya barua pepe. Hupata barua moja anwani ya webhook inaposhindwa, na moja inapoacha kushindwa.',
    noMail:
      'Si lazima. Anwani moja ya barua pepe. Bado hakuna barua inayotumwa, kwa sababu mfumo huu hauna seva ya barua (SMTP_URL).',
    addressProblems: {
      no_address: 'Weka anwani moja ya barua pepe, kama dev@shop.example.',
      address_too_long: 'Anwani iwe na herufi zisizozidi 254.',
    },
    enables: 'Anwani imezimwa. Ukihifadhi URL, itawashwa.',
    test: 'Tukio la majaribio',
    testHow:
      'Hutuma sampuli moja iliyosainiwa. Nambari yake ya mfuatano ni 0, na kumbukumbu yake huanza na SAMPLE-. Jibu 204 bila kufanya chochote.',
    testSend: 'Tuma tukio la majaribio',
    testDelivered: (result, ms) => `Tukio la majaribio limepokelewa: ${result}, ms ${ms}.`,
    testFailed: (result, ms) => `Tukio la majaribio halikupokelewa: ${result}, ms ${ms}.`,
    testProblems: {
      busy: 'Tukio jingine la majaribio linatumwa. Subiri matokeo yake.',
      no_words: 'Webhook za V3 hazina tukio hili.',
      no_endpoint: 'Anwani hii haipo tena.',
    },
    notSent: 'halikutumwa',
    rotate: 'Badilisha siri',
    rotateHow:
      'Siri mpya husaini mara moja. Kwa saa 24 kila webhook ina sahihi zote mbili, kwa hiyo badilisha mpokeaji wako ndani ya muda huo.',
    rotateDo: 'Badilisha siri',
    disable: 'Zima anwani',
    disableHow:
      'Hakuna kitakachotumwa hadi uiwashe tena. Matukio mapya yatakuwa katika GET /api/v4/events tu.',
    disableDo: 'Zima anwani',
    enable: 'Washa anwani',
    enableHow: 'Webhook za siku 30 zilizopita zinazoisubiri zitatumwa.',
    enableDo: 'Washa anwani',
    secret: 'Siri ya webhook',
    standardSecret: 'Siri hiyo hiyo kwa maktaba za standard-webhooks',
    back: 'Rudi kwa webhook',
    done: {
      endpoint_set: 'Anwani imehifadhiwa.',
      endpoint_disabled: 'Anwani imezimwa.',
      endpoint_enabled: 'Anwani imewashwa.',
      secret_kept: 'Mtu mwingine alibadilisha siri wakati huo huo. Siri yake ndiyo inayosaini.',
    },
  },
};
