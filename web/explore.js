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

// Levers: each choice becomes a slider, and what it costs is shown while it moves. Without this file the choice
// and its button do the same. What is shown is of the sliders as they stand, or nothing is.
const levers = document.querySelector('#levers form');
let lever = 0, waits = 0;

// Columns and levels of a form: a verdict is of these and of no others.
function levelsOf(form) {
  return JSON.stringify([...form?.querySelectorAll('.lever') ?? []].map(
    (one) => [one.querySelector('label').textContent, one.querySelector('select').value]));
}

function say(words) {
  const text = document.createElement('p');
  text.className = 'soft';
  text.textContent = words;
  document.getElementById('lever-said').replaceChildren(text);
}

// What a page says of the levels that are chosen here; null: nothing, or it is of others.
function verdictOf(page) {
  const said = page.getElementById('lever-said');
  const isOurs = levelsOf(page.querySelector('#levers form')) === levelsOf(levers);
  return isOurs && said?.querySelector('.task, .message, .lever-verdict') ? said : null;
}

async function ask(mine) {
  const body = new URLSearchParams(new FormData(levers));
  body.set('do', 'lever');
  let reply = await fetch(levers.getAttribute('action'), { method: 'POST', body });
  for (let wait = 80; mine === lever && reply.ok; wait = Math.min(2 * wait, 1000)) {
    const said = verdictOf(new DOMParser().parseFromString(await reply.text(), 'text/html'));
    if (!said?.querySelector('.task')) return said;
    await new Promise((done) => setTimeout(done, wait));
    if (mine === lever) reply = await fetch(reply.url);
  }
  return null;
}

async function pull(pause) {
  const mine = ++lever;
  say('working it out…');
  clearTimeout(waits);
  await new Promise((done) => { waits = setTimeout(done, pause); });
  const said = await ask(mine).catch(() => null);
  if (mine !== lever) return;
  if (said) document.getElementById('lever-said').replaceChildren(...document.importNode(said, true).childNodes);
  else say('This could not be worked out; load the page again.');
}

for (const select of levers ? levers.querySelectorAll('select') : []) {
  const slide = document.createElement('input'), shown = document.createElement('output');
  const label = levers.querySelector(`label[for="${select.id}"]`);
  // What a browser put back is not what the page speaks of.
  for (const option of select.options) option.selected = option.defaultSelected;
  slide.type = 'range';
  slide.max = select.options.length - 1;
  slide.value = select.selectedIndex;
  slide.id = `${select.id}-slide`;
  slide.autocomplete = 'off';
  label.htmlFor = slide.id;
  const tell = () => {
    shown.textContent = select.options[select.selectedIndex].textContent;
    slide.setAttribute('aria-valuetext', shown.textContent);
  };
  slide.addEventListener('input', () => {
    select.selectedIndex = Number(slide.value);
    tell();
    pull(120);
  });
  tell();
  select.hidden = true;
  select.after(slide, shown);
}
if (levers) {
  levers.querySelector('.actions').remove();
  const said = document.getElementById('lever-said');
  if (said.querySelector('[data-unknown]')) pull(0);
  // Work that the page began with is of no use once a slider was moved: its end loads no page.
  const box = said.querySelector('.task');
  box?.addEventListener('kanon:end', (event) => box.isConnected || event.preventDefault());
}
