// Promise: keeps the form as it is changed, and shows what it costs as soon as that is known. Without
// this file the button of the form does the same.
const form = document.getElementById('limit')?.form;
const here = location.pathname;
const kept = document.getElementById('kept');
const limit = document.getElementById('limit');
const kind = document.getElementById('limit-kind');
const slider = document.getElementById('slider');
const buys = document.getElementById('buys');

let asked = 0;

// The rows of the grid for the k that is chosen: what each limit costs.
function steps() {
  return [...document.querySelectorAll('#grid tr.on td')]
    .map((cell) => ({
      limit: Number(cell.dataset.limit),
      loss: Number(cell.dataset.loss),
      rows: Number(cell.dataset.rows),
    }))
    .sort((a, b) => a.limit - b.limit);
}

function tell() {
  const known = steps();
  const wanted = kind.value === 'percent' ? Number(limit.value) : NaN;
  buys.hidden = known.length === 0 || Number.isNaN(wanted);
  if (buys.hidden) return;
  const strict = known[0];
  const at = known.filter((step) => step.limit <= wanted).pop() ?? strict;
  if (at.loss < 0) {
    buys.textContent = `With at most ${at.limit} % left out, nothing keeps the promise.`;
  } else if (at === strict || strict.loss < 0) {
    buys.textContent = strict.loss < 0
      ? `With ${at.limit} %, a release becomes possible; it leaves out ${at.rows.toLocaleString('en')} rows.`
      : 'Nothing is left out: this is the full price of the promise.';
  } else {
    const saved = Math.round((1 - at.loss / strict.loss) * 100);
    buys.textContent = `Up to ${at.limit} %: ${at.rows.toLocaleString('en')} rows are left out, and the loss is `
      + (saved > 0 ? `${saved} % smaller than with none left out.` : 'the same as with none left out.');
  }
}

function follow() {
  slider.value = kind.value === 'percent' ? limit.value : 0;
  slider.disabled = kind.value !== 'percent';
  tell();
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Shows the estimates again and again until none is under way.
async function show(turn) {
  for (let wait = 150; turn === asked; wait = Math.min(wait * 1.5, 1500)) {
    await pause(wait);
    const reply = await fetch(`${here}?part=estimates`);
    if (!reply.ok || turn !== asked) return;
    const holder = document.createElement('div');
    holder.innerHTML = await reply.text();
    const fresh = holder.firstElementChild;
    const isBusy = fresh.dataset.busy === '1';
    // A small table is done before anything moves; of a large one the first figures come first.
    if (isBusy && wait < 1000) continue;
    document.getElementById('estimates').replaceWith(fresh);
    tell();
    if (isBusy) continue;
    kept.textContent = 'Saved; the estimates are up to date.';
    return;
  }
}

async function keep() {
  const turn = ++asked;
  await pause(350); // until no further key is pressed
  if (turn !== asked || !form.checkValidity()) return;
  kept.textContent = 'Estimating …';
  document.getElementById('estimates').setAttribute('aria-busy', 'true');
  try {
    const body = new URLSearchParams(new FormData(form));
    const reply = await fetch(`${here}/estimate`, { method: 'POST', body });
    if (turn !== asked) return;
    if (reply.ok) await show(turn);
    else kept.textContent = `Not saved: ${reply.status === 422 ? await reply.text() : 'the server did not accept it.'}`;
  } catch {
    kept.textContent = 'Not saved: the server does not answer.';
  }
}

if (form) {
  document.getElementById('slide').hidden = false;
  follow();
  slider.addEventListener('input', () => {
    limit.value = slider.value;
    tell();
  });
  slider.addEventListener('change', keep);
  form.addEventListener('input', (event) => {
    if (event.target === limit || event.target === kind) follow();
    if (event.target !== slider) keep();
  });
}
