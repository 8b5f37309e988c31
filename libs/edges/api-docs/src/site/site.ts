import { errorsPage } from '../guides/errors.js';
import { goingLivePage } from '../guides/going-live.js';
import { idempotencyPage } from '../guides/idempotency.js';
import { introductionPage } from '../guides/introduction.js';
import { quickStartPage } from '../guides/quick-start.js';
import { requestsPage } from '../guides/requests.js';
import { sdkPage } from '../guides/sdk.js';
import { signingPage } from '../guides/signing.js';
import { testNumbersPage } from '../guides/test-numbers.js';
import { webhooksPage } from '../guides/webhooks.js';
import { type OpenApiDocument } from '../document/open-api.js';
import { referencePages } from '../reference/reference-page.js';
import { type FileAddresses } from './files.js';
import { documentOf } from './frame.js';
import { type SitePage } from './page.js';
import { groupsOf } from './sidebar.js';

/** The facts from which the site is made. */
export interface SiteFacts {
  readonly document: OpenApiDocument;
  /** The address that the samples call. */
  readonly baseUrl: string;
  readonly files: FileAddresses;
}

/** Returns every page of the site as a document, by its path. */
export function siteOf({ document, baseUrl, files }: SiteFacts): ReadonlyMap<string, string> {
  const site = { files, groups: groupsOf(document) };
  return new Map(
    sitePages(document, baseUrl).map((page) => [page.address, documentOf(page, site)]),
  );
}

export function sitePages(document: OpenApiDocument, baseUrl: string): readonly SitePage[] {
  return [
    introductionPage(document),
    quickStartPage(baseUrl),
    testNumbersPage,
    goingLivePage,
    signingPage,
    requestsPage(document),
    idempotencyPage(),
    webhooksPage(document),
    errorsPage(document),
    sdkPage(baseUrl),
    ...referencePages(document),
  ];
}
