// Columns: what a role means is shown as soon as it is chosen. Without this file a button does the same.
const form = document.querySelector("form:has(select[name^='role-'])");
let turn = 0, timer = 0;

async function look() {
  const mine = ++turn, body = new URLSearchParams(new FormData(form));
  body.set("action", "look");
  const reply = await fetch(form.getAttribute("action"), { method: "POST", body });
  if (!reply.ok || mine !== turn) return;
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  if (mine !== turn) return;
  for (const now of document.querySelectorAll("[data-live]")) {
    const next = page.getElementById(now.id);
    if (next && next.innerHTML !== now.innerHTML) {
      now.className = next.className;
      now.replaceChildren(...document.importNode(next, true).childNodes);
    }
  }
}

if (form) {
  document.querySelector(".look")?.remove();
  document.getElementById("together")?.setAttribute("role", "status");
  form.addEventListener("change", (event) => {
    if (!/^role-|^class$/.test(event.target.name ?? "")) return;
    clearTimeout(timer);
    timer = setTimeout(() => look().catch(() => {}), 100);
  });
}
