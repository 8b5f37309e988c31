import { isDeepStrictEqual } from 'node:util';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type Action } from '#domain/people';
import { streamedBody } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { type Description } from '#records/people';
import { boundOf, heldField, StepUp } from '../session/step-up.js';
import { textsOf } from '../text/texts-of.js';
import { formTokenField } from './form-token.js';
import { postedForm } from './posted-form.js';
import { Refusals, seeOther } from './refusals.js';
import { type Viewer } from './viewer.js';

/** A form that was sent, and by whom. */
export interface SentForm {
  readonly request: FastifyRequest;
  readonly form: URLSearchParams;
  readonly viewer: Viewer;
}

/**
 * Says in words what a form will do, before its sender confirms it. The form names an item, and the server reads the
 * facts about it itself; it never takes them from the form (POR-30).
 * @param controller the route's own
 */
export type Describe<Controller> = (
  sent: SentForm,
  controller: Controller,
) => Description | Promise<Description>;

/** Holds forms until their sender has proved presence for exactly what they do. */
@Injectable()
export class Presence {
  constructor(
    private readonly stepUp: StepUp,
    private readonly modules: ModuleRef,
    private readonly refusals: Refusals,
  ) {}

  /**
   * Lets a form through if it names one whose presence was proved. It holds any other form and leads its sender to the
   * proof.
   * @throws Problem
   */
  async assert(
    context: ExecutionContext,
    viewer: Viewer,
    asked: { readonly action: Action; readonly describe: Describe<unknown> | undefined },
  ): Promise<void> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (streamedBody(request))
      throw new TypeError('a form whose route reads its own body cannot be held');
    const { action, describe = fieldsOf(action) } = asked;
    const controller: unknown = this.modules.get(context.getClass(), { strict: false });
    const described = async () =>
      describe({ request, form: postedForm(request), viewer }, controller);
    const held = postedForm(request).get(heldField);
    if (held === null) {
      const description = await described();
      const id = await this.stepUp.hold(request, viewer.sessionHash, { action, description });
      throw seeOther(`/portal/confirm/${id}`);
    }
    const shown = await this.stepUp.carryOut(request, held, viewer.sessionHash);
    if (!shown) this.refusals.refuse('stale_confirmation');
    // The decision is about what the page showed, so a change since then refuses it.
    if (!isDeepStrictEqual(boundOf(shown), boundOf(await described())))
      this.refusals.refuse('changed');
  }
}

/** The default description: the action's name, and the fields as they were sent. */
function fieldsOf(action: Action): Describe<unknown> {
  return ({ form, viewer }) => {
    const { stepUpActions } = textsOf(viewer);
    const title = Object.entries(stepUpActions).find(([name]) => name === action)?.[1] ?? action;
    return { title, rows: [...form].filter(([name]) => name !== formTokenField) };
  };
}
