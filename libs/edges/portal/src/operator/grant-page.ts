import { merchantRoles, operatorRoles } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type KnownPerson } from '#records/people';
import { errorSummary, field, form, notice } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type FormErrors } from './decision-form.js';
import { maxChoices } from './grant-form.js';
import { type PageContext } from './page-context.js';
import { reasonField } from './reason-field.js';

export interface GrantPage {
  /** People who have signed in, the latest first. If one more than `maxChoices` is here, the list is not all of them. */
  readonly people: readonly KnownPerson[];
  /** Merchants by name, like the people. */
  readonly merchants: readonly { readonly merchantId: string; readonly name: string }[];
  readonly refused?: FormErrors | undefined;
}

/** The form that grants a role, or proposes one that needs two admins. */
export function grantPage({ people, merchants, refused }: GrantPage, context: PageContext): Html {
  const { texts, viewer } = context;
  const { roles: words } = texts;
  const own = (name: string) => ({
    name: `role_${name}`,
    autocomplete: 'off',
    error: refused?.fields.find(({ field: of }) => of === `role_${name}`)?.text,
    value: refused?.values.get(`role_${name}`) ?? undefined,
  });
  const otherMerchant = html`<details
    class="with"
    ${isTyped(refused, 'other_merchant') ? html` open` : undefined}
  >
    <summary>${words.anotherMerchant}</summary>
    ${field({ ...own('other_merchant'), label: words.merchantId, hint: words.merchantIdHint(maxChoices), maxLength: 100 })}
  </details>`;
  return html`${refused?.summary === undefined ? undefined : notice('error', refused.summary)}
    ${refused && errorSummary(texts.problem, refused.fields)}
    <p>${words.grantText}</p>
    ${form(viewer, {
      action: '/portal/roles',
      submit: words.grantButton,
      fields: [
        field({
          ...own('person'),
          label: words.person,
          ...(people.length > maxChoices && { hint: words.latestPeople(maxChoices) }),
          options: [
            ['', words.choosePerson],
            ...people
              .slice(0, maxChoices)
              .map(({ person, name }) => [person, `${name} (…${person.slice(-6)})`] as const),
          ],
        }),
        html`<details
          class="with"
          ${isTyped(refused, 'other_person', 'name') ? html` open` : undefined}
        >
          <summary>${words.anotherPerson}</summary>
          ${field({ ...own('other_person'), label: words.personId, hint: words.personHint, maxLength: 500 })}
          ${field({ ...own('name'), label: words.name, hint: words.nameHint, maxLength: 100 })}
        </details>`,
        roleField(own('role'), context),
        field({
          ...own('merchant'),
          label: texts.merchant,
          hint: words.merchantHint,
          options: [
            ['', words.noMerchant],
            ...merchants
              .slice(0, maxChoices)
              .map(
                ({ merchantId, name }) =>
                  [merchantId, `${name} (…${merchantId.slice(-6)})`] as const,
              ),
          ],
        }),
        ...(merchants.length > maxChoices ? [otherMerchant] : []),
        reasonField(own('reason'), texts),
      ],
    })}`;
}

/** True if the field was typed, or if it or one beside it has an error. */
function isTyped(refused: FormErrors | undefined, id: string, ...beside: readonly string[]) {
  if (!refused) return false;
  const names = [id, ...beside].map((name) => `role_${name}`);
  const isFull = (refused.values.get(`role_${id}`) ?? '') !== '';
  return isFull || refused.fields.some(({ field: of }) => names.includes(of));
}

/** The roles in two groups: those of the platform, and those at one merchant. */
function roleField(
  {
    name,
    error,
    value,
  }: {
    readonly name: string;
    readonly error: string | undefined;
    readonly value: string | undefined;
  },
  { texts: { roles: words }, viewer }: PageContext,
): Html {
  const { roles: called } = textsOf(viewer);
  const group = (label: string, roles: readonly (keyof typeof called)[]) =>
    html`<optgroup label="${label}">
      ${roles.map((role) => html`<option value="${role}" ${role === value ? html` selected` : undefined}>${called[role]}</option>`)}
    </optgroup>`;
  return html`<div class="field">
    <label for="${name}">${words.role}</label>
    ${error === undefined ? undefined : html`<p class="wrong" id="${name}-error">${error}</p>`}
    <select
      id="${name}"
      name="${name}"
      required
      ${error === undefined ? undefined : html` aria-invalid="true" aria-describedby="${name}-error"`}
    >
      <option value="">${words.chooseRole}</option>
      ${group(words.ofPlatform, operatorRoles)} ${group(words.atMerchant, merchantRoles)}
    </select>
  </div>`;
}
