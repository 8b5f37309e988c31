import { createHash } from 'node:crypto';

/**
 * The page's script, in the JavaScript of ten years ago, as it is sent. Everything works without it. It prevents a
 * second press of the button from being sent, and asks if the state changed without loading the page again. It sends a
 * HEAD, since the answer is one word. If the network is away, the next try may reach it.
 */
export const script = `
(function () {
  var shown = document.querySelector('[data-state]');
  var sent = false;
  document.addEventListener('submit', function (submission) {
    if (sent) { submission.preventDefault(); return; }
    sent = true;
    var button = document.getElementById('pay');
    button.setAttribute('aria-disabled', 'true');
    button.textContent = button.getAttribute('data-sending');
  });
  window.addEventListener('pageshow', function (page) {
    if (page.persisted) location.reload();
  });
  function askIn(seconds) {
    if (seconds > 0) setTimeout(function () { ask(seconds); }, seconds * 1000);
  }
  function ask(seconds) {
    var request = new XMLHttpRequest();
    request.open('HEAD', location.href);
    request.timeout = 10000;
    request.onloadend = function () {
      var state = request.getResponseHeader('Checkout-State');
      if (state && state !== shown.getAttribute('data-state')) location.reload();
      else askIn(state ? Number(request.getResponseHeader('Checkout-Again')) : seconds);
    };
    request.send();
  }
  if (shown) askIn(Number(shown.getAttribute('data-again')));
})();
`.trimStart();

/** The address of the script. It changes with the bytes, so that browsers may cache them. */
export const scriptAddress = `/checkout/page.js?${createHash('sha256').update(script).digest('hex').slice(0, 8)}`;
