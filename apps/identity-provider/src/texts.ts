import { isLanguage, type Language, preferredLanguage } from '#shared/html';

/** The texts of the provider's pages, in one language. */
export interface Texts {
  readonly signIn: string;
  readonly confirm: string;
  readonly login: string;
  readonly password: string;
  readonly signInButton: string;
  readonly confirmButton: string;
  readonly passkeyButton: string;
  readonly addPasskey: string;
  readonly abortButton: string;
  readonly where: string;
  readonly passkeyWanted: string;
  readonly passkeyNeedsScript: string;
  readonly passkeyFailed: string;
  readonly wrongPassword: string;
  readonly wrongPasskey: string;
  readonly passkeyInstead: string;
  readonly tooMany: string;
  readonly newPasskey: string;
  readonly newPasskeyWhy: string;
  readonly createButton: string;
  readonly skipButton: string;
  readonly notAdded: string;
  readonly over: string;
  readonly tooLarge: string;
  readonly tooLate: string;
  readonly failed: string;
  readonly commandLine: string;
  readonly code: string;
  readonly codeButton: string;
  readonly wrongCode: string;
  readonly yours: string;
  readonly shows: string;
  readonly refuseIf: string;
  readonly yoursButton: string;
  readonly refuseButton: string;
  readonly signedIn: string;
  readonly goesOn: string;
  readonly signOut: string;
  readonly stillSignedIn: string;
  readonly stayButton: string;
  readonly signedOut: string;
  readonly mayClose: string;
}

const english: Texts = {
  signIn: 'Sign in to PesaPost',
  confirm: 'Verify it’s you',
  login: 'Login',
  password: 'Password',
  signInButton: 'Sign in',
  confirmButton: 'Verify',
  passkeyButton: 'Use a passkey',
  addPasskey: 'Add a passkey to this device next',
  abortButton: 'Cancel',
  where: 'The file demo.json in the data folder lists the people of this demo.',
  passkeyWanted: 'Use your passkey to continue. Your device will ask for it.',
  passkeyNeedsScript:
    'A passkey needs JavaScript and a browser that supports passkeys. Allow JavaScript, or use another browser.',
  passkeyFailed: 'That did not work. Try again, with a passkey that you added here.',
  wrongPassword: 'Login or password is wrong.',
  wrongPasskey: 'This passkey does not belong to this account.',
  passkeyInstead: 'Use your passkey here instead of the password.',
  tooMany: 'Too many attempts. Wait a minute, then try again.',
  newPasskey: 'Add a passkey',
  newPasskeyWhy:
    'A passkey proves that it is you, and no other site can use it. After that, decisions about money or access need it instead of the password.',
  createButton: 'Add the passkey',
  skipButton: 'Not now',
  notAdded: 'The passkey was not added. Try again, or choose Not now.',
  over: 'This sign-in has ended',
  tooLarge: 'The form was too large',
  tooLate: 'Go back and start again.',
  failed: 'This did not work',
  commandLine: 'Sign in a command line',
  code: 'Code from the command line',
  codeButton: 'Continue',
  wrongCode: 'This code is wrong, used or expired. Start again.',
  yours: 'Is this your command line?',
  shows: 'It shows this code:',
  refuseIf: 'If you did not ask for it, another person is trying to act in your name. Refuse it.',
  yoursButton: 'Yes, sign it in',
  refuseButton: 'Refuse',
  signedIn: 'Signed in',
  goesOn: 'Go back to the command line. You can close this page.',
  signOut: 'Sign out',
  stillSignedIn: 'You are still signed in at the identity provider.',
  stayButton: 'Stay signed in',
  signedOut: 'Signed out',
  mayClose: 'You can close this page.',
};

const swahili: Texts = {
  signIn: 'Ingia kwenye PesaPost',
  confirm: 'Thibitisha ni wewe',
  login: 'Jina la kuingia',
  password: 'Nenosiri',
  signInButton: 'Ingia',
  confirmButton: 'Thibitisha',
  passkeyButton: 'Tumia ufunguo wa siri (passkey)',
  addPasskey: 'Kisha ongeza ufunguo wa siri (passkey) kwenye kifaa hiki',
  abortButton: 'Ghairi',
  where: 'Watu wa onyesho hili wako kwenye demo.json, ndani ya folda ya data yake.',
  passkeyWanted: 'Una ufunguo wa siri, na hili linauhitaji: kifaa chako kitakuuliza.',
  passkeyNeedsScript:
    'Ufunguo wa siri unahitaji JavaScript, na kivinjari kinachojua funguo hizo. Iruhusu hapa, au rudi na utumie kivinjari kingine.',
  passkeyFailed: 'Haikufaulu. Jaribu tena, kwa ufunguo wa siri ulioongeza hapa.',
  wrongPassword: 'Jina la kuingia au nenosiri si sahihi.',
  wrongPasskey: 'Ufunguo huu wa siri haujulikani hapa.',
  passkeyInstead: 'Una ufunguo wa siri, na hili linauhitaji badala ya nenosiri.',
  tooMany: 'Majaribio ni mengi mno. Subiri dakika moja, kisha jaribu tena.',
  newPasskey: 'Ongeza ufunguo wa siri',
  newPasskeyWhy:
    'Kwa ufunguo huu kifaa chako kinathibitisha kwamba ni wewe, na hakuna ukurasa mwingine unaoweza kuupitisha. Kuanzia hapo, kinachoamua kuhusu pesa au ruhusa kitauhitaji badala ya nenosiri.',
  createButton: 'Ongeza ufunguo wa siri',
  skipButton: 'Endelea bila huo',
  notAdded: 'Ufunguo wa siri haukuongezwa. Jaribu tena, au endelea bila huo.',
  over: 'Kuingia huku kumekwisha',
  tooLarge: 'Kilichotumwa ni kikubwa mno',
  tooLate: 'Rudi ulikotoka na uanze upya.',
  failed: 'Haikufaulu',
  commandLine: 'Ingiza mstari wa amri',
  code: 'Msimbo unaoonyeshwa na mstari wa amri',
  codeButton: 'Endelea',
  wrongCode: 'Msimbo huu si sahihi, umetumika au ni wa zamani. Anza upya.',
  yours: 'Je, huu ni mstari wako wa amri?',
  shows: 'Unaonyesha msimbo huu:',
  refuseIf: 'Kama hukuuomba, mtu anataka kutenda kwa jina lako: kataa.',
  yoursButton: 'Ni wangu: uingize',
  refuseButton: 'Kataa',
  signedIn: 'Umeingia',
  goesOn: 'Mstari wa amri unaendelea. Unaweza kufunga ukurasa huu.',
  signOut: 'Toka',
  stillSignedIn: 'Bado umeingia kwa mtoa utambulisho.',
  stayButton: 'Baki umeingia',
  signedOut: 'Umetoka',
  mayClose: 'Unaweza kufunga ukurasa huu.',
};

const catalogue = { en: english, sw: swahili } as const satisfies Record<Language, Texts>;

/** A page's language and its texts. */
export interface Said {
  readonly language: Language;
  readonly texts: Texts;
}

/**
 * Chooses the language that the client asked for, else the browser's preferred one.
 * @param locales `ui_locales`, the best first
 */
export function saidIn(locales: unknown, acceptLanguage: string | undefined): Said {
  const wanted = typeof locales === 'string' ? locales.split(' ') : [];
  const subtags = wanted.map((tag) => tag.split('-')[0]?.toLowerCase() ?? '');
  const language = subtags.find(isLanguage) ?? preferredLanguage(acceptLanguage);
  return { language, texts: catalogue[language] };
}
