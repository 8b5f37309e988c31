/** The script's path on the provider's own origin, which the pages' policy requires. */
export const passkeyScriptPath = '/passkey.js';

/**
 * Has the browser ask its person for a passkey, or create one, and sends the answer with the form. The form contains
 * the options, as the server made them. If a browser cannot read them as JSON, the page stays as it is without a
 * script.
 */
export const passkeyScript = `const form = document.querySelector('form[data-passkey]');
const known = window.PublicKeyCredential;
if (form && known && known.parseRequestOptionsFromJSON && known.parseCreationOptionsFromJSON) {
  const problem = document.getElementById('passkey-problem');
  for (const part of document.querySelectorAll('[data-script]')) part.hidden = false;
  for (const part of document.querySelectorAll('[data-no-script]')) part.hidden = true;
  document.getElementById('use-passkey')?.addEventListener('click', async () => {
    problem.hidden = true;
    try {
      const options = JSON.parse(form.dataset.options);
      const credential =
        form.dataset.passkey === 'create'
          ? await navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(options) })
          : await navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(options) });
      form.elements.credential.value = JSON.stringify(credential);
      form.submit();
    } catch {
      problem.hidden = false;
    }
  });
}
`;
