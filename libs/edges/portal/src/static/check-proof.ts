/**
 * The script of a proof's page. It takes the proof from our own origin and has the verifier check it in the browser.
 * @param verifier the address of `verifier/verify.mjs`
 */
export function checkProofScript(verifier: string): string {
  return `import { verifyProof } from ${JSON.stringify(verifier)};
const form = document.getElementById('check');
const verdict = document.getElementById('verdict');
const steps = document.getElementById('steps');
form.hidden = false;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  verdict.textContent = '';
  steps.replaceChildren();
  let result = { ok: false, steps: [] };
  try {
    const answer = await fetch(form.dataset.proof, { headers: { accept: 'application/json' } });
    if (!answer.ok) throw new Error('the proof could not be loaded: ' + answer.status);
    const proof = await answer.json();
    result = await verifyProof(proof, proof, form.elements.trusted.value);
  } catch (error) {
    result = { ok: false, steps: [{ ok: false, tells: String(error) }] };
  }
  for (const { ok, tells } of result.steps) {
    const line = document.createElement('li');
    line.textContent = (ok ? '\\u2713 ' : '\\u2715 ') + tells;
    steps.append(line);
  }
  verdict.className = 'notice notice-' + (result.ok ? 'done' : 'error');
  verdict.textContent = result.ok ? verdict.dataset.holds : verdict.dataset.fails;
});
`;
}
