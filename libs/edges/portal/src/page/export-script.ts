/** Rows above which an export is left to the browser, which writes it to the disk as it arrives. */
const maxRows = 200_000;

/**
 * The script of a long export (POR-117). It reads the file in the page, shows how far it is, and then saves it. Without
 * it, or with a modifier key, the link downloads the file as any other.
 */
export const exportScript = `const exportOf = async (link, box) => {
  const part = (name) => box.querySelector('[data-part=' + name + ']');
  const [said, count, bar, cancel] = ['said', 'count', 'bar', 'cancel'].map(part);
  const total = Number(link.dataset.rows);
  const figure = (rows) => rows.toLocaleString(document.documentElement.lang);
  const show = (rows) => {
    const read = Math.min(rows, total);
    bar.value = read;
    count.textContent = box.dataset.count.replace('{done}', figure(read)).replace('{rows}', figure(total));
  };
  const running = (isRunning) => {
    box.dataset.running = isRunning ? 'yes' : '';
    for (const each of [count, bar, cancel]) each.hidden = !isRunning;
  };
  const stop = new AbortController();
  cancel.onclick = () => stop.abort();
  bar.max = Math.max(1, total);
  show(0);
  said.textContent = box.dataset.starts;
  box.hidden = false;
  running(true);
  try {
    const answer = await fetch(link.href, { signal: stop.signal });
    const isFile = (answer.headers.get('content-type') || '').startsWith('text/csv');
    if (!answer.ok || !isFile) throw new Error('no file: ' + answer.status);
    const [, name] = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') || '') || [];
    const chunks = [];
    const reader = answer.body.getReader();
    let rows = -1;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      chunks.push(next.value);
      for (let at = next.value.indexOf(10); at !== -1; at = next.value.indexOf(10, at + 1)) rows += 1;
      show(Math.max(0, rows));
    }
    const file = document.createElement('a');
    file.href = URL.createObjectURL(new Blob(chunks, { type: 'text/csv' }));
    file.download = name || 'transactions.csv';
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 60000);
    said.textContent = box.dataset.done.replace('{rows}', figure(Math.max(0, rows)));
  } catch {
    said.textContent = stop.signal.aborted ? box.dataset.cancelled : box.dataset.failed;
  }
  running(false);
};
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-rows]');
  const box = document.getElementById('export');
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !box || !isPlain || Number(link.dataset.rows) > ${maxRows}) return;
  event.preventDefault();
  if (!box.dataset.running) exportOf(link, box);
});
`;
