import { describe, expect, it } from '@jest/globals';
import {
  causes,
  correctionRefusals,
  decisionRefusals,
  endCorrectionRefusals,
  meanings,
  next,
  todos,
} from '#desk/words';
import { oldLabels, oldPhrases, pathsOf, textsIn, tooLong } from '#testing';
import { english as auditor } from '../auditor/auditor-texts.en.js';
import { swahili as auditorInSwahili } from '../auditor/auditor-texts.sw.js';
import { english as developer } from '../merchant/developer/developer-texts.en.js';
import { swahili as developerInSwahili } from '../merchant/developer/developer-texts.sw.js';
import { english as home } from '../merchant/home/home-texts.en.js';
import { swahili as homeInSwahili } from '../merchant/home/home-texts.sw.js';
import { english as merchant } from '../merchant/merchant-texts.en.js';
import { swahili as merchantInSwahili } from '../merchant/merchant-texts.sw.js';
import { english as operator } from '../operator/operator-texts.en.js';
import { swahili as operatorInSwahili } from '../operator/operator-texts.sw.js';
import { merchantPlaces, platformPlaces } from '../page/places.js';
import { english as frame } from './texts.en.js';
import { swahili as frameInSwahili } from './texts.sw.js';

const catalogues = { auditor, developer, frame, home, merchant, operator };
const inSwahili = {
  auditor: auditorInSwahili,
  developer: developerInSwahili,
  frame: frameInSwahili,
  home: homeInSwahili,
  merchant: merchantInSwahili,
  operator: operatorInSwahili,
} satisfies Record<keyof typeof catalogues, unknown>;
/** The words that the pages share with the command line. */
const desk = {
  causes,
  meanings,
  next,
  todos,
  correctionRefusals,
  decisionRefusals,
  endCorrectionRefusals,
};
const places = [...platformPlaces, ...merchantPlaces].map(({ label }) => label.en);

describe('the words of the pages', () => {
  const texts = Object.entries({ ...catalogues, desk }).flatMap(([name, of]) => textsIn(of, name));

  it('are read from each catalogue', () => {
    for (const name of [...Object.keys(catalogues), 'desk'])
      expect(texts.filter(([path]) => path.startsWith(`${name}.`)).length).toBeGreaterThan(10);
  });

  it('are the plain ones, in every label', () => {
    const old = texts.filter(([, text]) => oldLabels.includes(text));
    expect([...old, ...places.filter((label) => oldLabels.includes(label))]).toEqual([]);
  });

  it('are the plain ones, in every sentence', () => {
    const isOld = (text: string) => oldPhrases.some((phrase) => text.includes(phrase));
    expect(texts.filter(([, text]) => isOld(text))).toEqual([]);
  });
});

describe.each(Object.keys(catalogues) as (keyof typeof catalogues)[])(
  'the Swahili words of %s',
  (name) => {
    it('are there for every English one', () => {
      expect(pathsOf(inSwahili[name])).toEqual(pathsOf(catalogues[name]));
    });

    it('fit in the space of the English labels', () => {
      expect(tooLong(catalogues[name], inSwahili[name])).toEqual([]);
    });
  },
);
