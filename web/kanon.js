// What is live on every page: work in progress, and files that are dropped. Pages work without it.

const words = {
  read: "reading the table", fold: "counting combinations", search: "searching", apply: "recoding",
  verify: "recounting", write: "writing",
};

function tell(box, news) {
  const bar = box.querySelector("progress"), stage = box.querySelector(".stage");
  const at = news.progress;
  if (at && at.share !== null) bar.value = at.share;
  else bar.removeAttribute("value");
  let text = news.status === "waiting" ? "starts soon" : "starting";
  if (at) {
    text = words[at.stage] || at.stage;
    if (at.share !== null) text += `, ${Math.floor(100 * at.share)} %`;
    else if (at.done && at.unit) text += `, ${at.done.toLocaleString("en")} ${at.unit}`;
    if (at.eta_ms) text += `, about ${Math.max(1, Math.round(at.eta_ms / 1000))} s left`;
  }
  if (news.steps > 1) text += ` (${news.step + 1} of ${news.steps})`;
  if (stage.textContent !== text) stage.textContent = text;
}

// The page is loaded anew when the work ends, at the place where it was.
function follow(box) {
  const events = new EventSource(box.dataset.events);
  events.addEventListener("progress", (event) => tell(box, JSON.parse(event.data)));
  events.addEventListener("end", () => {
    events.close();
    const asks = new CustomEvent("kanon:end", { bubbles: true, cancelable: true, detail: box.dataset.task });
    if (box.dispatchEvent(asks)) location.replace(location.pathname + keptQuery() + location.hash);
  });
  // A server that was restarted does not know the work any more.
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) box.querySelector(".stage").textContent = "the server does not answer; load the page again";
  });
}

// Messages of an earlier click are not said again.
function keptQuery() {
  const query = new URLSearchParams(location.search);
  query.delete("said");
  query.delete("wrong");
  const text = query.toString();
  return text ? `?${text}` : "";
}

export function followAll(root = document) {
  for (const box of root.querySelectorAll(".task[data-events]"))
    if (!box.dataset.followed) {
      box.dataset.followed = "yes";
      follow(box);
    }
}

// A file is sent with a bar that shows how far it is.
function send(form) {
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.setAttribute("aria-label", "Sending the file");
  form.append(bar);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) bar.value = event.loaded / event.total;
  });
  request.addEventListener("load", () => {
    if (request.status < 400) location.assign(request.responseURL);
    else document.documentElement.innerHTML = new DOMParser().parseFromString(request.responseText, "text/html").documentElement.innerHTML;
  });
  request.addEventListener("error", () => {
    bar.remove();
    const text = document.createElement("p");
    text.className = "message wrong";
    text.setAttribute("role", "alert");
    text.textContent = "The file could not be sent: it is too large for this server, or the server has stopped.";
    form.append(text);
  });
  request.send(new FormData(form));
}

function takeDrops(form) {
  const input = form.querySelector("input[type=file]");
  const mark = (on) => (event) => {
    event.preventDefault();
    form.classList.toggle("over", on);
  };
  form.addEventListener("dragover", mark(true));
  form.addEventListener("dragleave", mark(false));
  form.addEventListener("drop", (event) => {
    mark(false)(event);
    if (event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    send(form);
  });
}

followAll();
for (const form of document.querySelectorAll("form.drop")) takeDrops(form);
