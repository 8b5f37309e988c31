/**
 * The script of the frame. It closes an open menu when a person clicks elsewhere or presses Escape, leads "/" to the
 * search, puts the cursor into a search that opens, copies a text, and prints the page. Pages are complete without it.
 */
export const shellScript = `const menus = () => document.querySelectorAll('details.menu[open],details.chip[open]');
document.addEventListener('click', ({ target }) => {
  for (const menu of menus()) if (!menu.contains(target)) menu.open = false;
  const copy = target.closest('[data-copy]');
  if (copy) navigator.clipboard.writeText(copy.dataset.copy).then(() => copy.classList.add('is-done'));
  if (target.closest('.print')) print();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape')
    for (const menu of menus()) {
      menu.open = false;
      menu.querySelector('summary').focus();
    }
  const isTyping = event.target.closest('input,textarea,select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.getElementById('search');
  if (!search) return;
  event.preventDefault();
  if (search.offsetParent === null && search.showPopover) search.showPopover();
  search.querySelector('input[type=search]').focus();
});
const opened = document.getElementById('search');
opened?.addEventListener('toggle', ({ newState }) => {
  if (newState === 'open') opened.querySelector('input[type=search]').focus();
});
`;
