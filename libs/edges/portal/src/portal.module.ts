import { constructed } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { PendingForms, PersonNames, RenewalTokens, Sessions } from '#records/people';
import { Keyring } from '#shared/signing';
import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { PageAddress } from '#shared/http';
import { PortalGuard } from './access/permits.js';
import { Presence } from './access/presence.js';
import { Refusals } from './access/refusals.js';
import { auditorControllers, auditorProviders } from './auditor/controllers.js';
import { merchantControllers, merchantProviders } from './merchant/controllers.js';
import { NotSetUpController } from './not-set-up.controller.js';
import { operatorControllers, operatorProviders } from './operator/controllers.js';
import { BreakGlassController } from './break-glass/break-glass.controller.js';
import { PortalErrorPages } from './page/error-pages.js';
import { type PortalOptions } from './portal-options.js';
import {
  BackchannelLogoutController,
  ProviderLogouts,
} from './session/backchannel-logout.controller.js';
import { BrowserSessions } from './session/browser-sessions.js';
import { IdentityProvider } from './session/identity-provider.js';
import { MissingController } from './session/missing.controller.js';
import { ProviderConnection } from './session/provider-connection.js';
import {
  OwnSessionsController,
  SessionController,
  SignedOutController,
} from './session/session.controller.js';
import { SessionRenewal } from './session/session-renewal.js';
import { SignInController } from './session/sign-in.controller.js';
import { SignInCounts, SignIns } from './session/sign-ins.js';
import { StatusPass } from './session/status-pass.js';
import { StepUp } from './session/step-up.js';
import { SideFactsReader } from './page/side-facts.js';
import { CachedSideFacts } from './side/cached-side-facts.js';
import { StaticController } from './static/static.controller.js';
import { ChoicesController } from './text/choices.controller.js';

/** Controllers, and their dependencies beside the portal's own. */
interface Pages {
  readonly controllers: Type[];
  readonly providers: Provider[];
}

const pagesOfAll: Pages = {
  controllers: [
    BreakGlassController,
    ...operatorControllers,
    ...auditorControllers,
    ...merchantControllers,
  ],
  providers: [
    ...operatorProviders,
    ...auditorProviders,
    ...merchantProviders,
    { provide: SideFactsReader, useClass: CachedSideFacts },
  ],
};

const address: Provider = { provide: PageAddress, useValue: new PageAddress('/portal') };

/**
 * The portal's module. It needs from the app's infrastructure: PortalOptions, Keyring, Metrics, RedisStore,
 * Database, RoleDirectory, PresenceRule, and the dependencies that the pages' own controllers name.
 */
@Module({})
export class PortalModule {
  /**
   * Without an issuer no one can sign in, so the portal is one page that says what to set.
   * @param pages the pages behind the sign-in; tests bring their own
   */
  static with(
    { issuer }: Pick<PortalOptions, 'issuer'>,
    { controllers, providers }: Pages = pagesOfAll,
  ): DynamicModule {
    if (!issuer)
      return {
        module: PortalModule,
        controllers: [StaticController, ChoicesController, NotSetUpController],
        providers: [address, PortalErrorPages, Refusals],
      };
    return {
      module: PortalModule,
      imports: [CqrsModule],
      controllers: [
        StaticController,
        SignInController,
        BackchannelLogoutController,
        SignedOutController,
        ChoicesController,
        OwnSessionsController,
        SessionController,
        MissingController,
        ...controllers,
      ],
      providers: [
        address,
        BrowserSessions,
        IdentityProvider,
        PortalErrorPages,
        PortalGuard,
        Presence,
        ProviderConnection,
        ProviderLogouts,
        Refusals,
        SessionRenewal,
        SignInCounts,
        SignIns,
        StatusPass,
        StepUp,
        constructed(RenewalTokens, RenewalTokens, [Database, Keyring]),
        constructed(Sessions, Sessions, [Database]),
        constructed(PersonNames, PersonNames, [Database]),
        constructed(PendingForms, PendingForms, [Database, Keyring]),
        ...providers,
      ],
    };
  }
}
