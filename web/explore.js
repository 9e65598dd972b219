// Explore: sorts, filters, turns pages and pins without loading the page anew. Without this file the
// links and forms do the same.
const here = location.pathname;

async function show(query, place) {
  const reply = await fetch(`${here}/nodes${query}`);
  const old = document.getElementById('nodes');
  if (!reply.ok || !old) return false;
  const holder = document.createElement('div');
  holder.innerHTML = await reply.text();
  old.replaceWith(holder.firstElementChild);
  history.replaceState(null, '', `${here}${query}#nodes`);
  // The keyboard stays where it was.
  const again = place && document.querySelector(place);
  if (again) again.focus({ preventScroll: true });
  return true;
}

document.addEventListener('click', async (event) => {
  const link = event.target.closest('#nodes a[href$="#nodes"], .lattice a[href$="#nodes"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const url = new URL(link.getAttribute('href'), location.href);
  event.preventDefault();
  if (!(await show(url.search))) location.assign(url);
  else document.getElementById('nodes').scrollIntoView({ block: 'nearest' });
});

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (form.id === 'filter') {
    event.preventDefault();
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
    if (!(await show(`?${query}`, '#filter button'))) form.submit();
  } else if (form.closest('#nodes') && form.action.endsWith('/pin')) {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    const name = body.get('pin');
    const reply = await fetch(form.action, { method: 'POST', body });
    const url = new URL(reply.url);
    if (!reply.ok || url.searchParams.has('wrong')) location.assign(reply.url);
    else await show(location.search, `button[aria-label$=" ${CSS.escape(name)}"]`);
  }
});

// Rows before and after scroll together, both ways. Without this file they stand side by side in full.
for (const pair of document.querySelectorAll('.pair')) {
  const boxes = [...pair.querySelectorAll('.scroll')];
  pair.classList.add('live');
  for (const box of boxes)
    box.addEventListener('scroll', () => {
      for (const other of boxes)
        if (other !== box) {
          if (Math.abs(other.scrollTop - box.scrollTop) > 1) other.scrollTop = box.scrollTop;
          if (Math.abs(other.scrollLeft - box.scrollLeft) > 1) other.scrollLeft = box.scrollLeft;
        }
    });
}
