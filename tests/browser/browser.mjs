// What tests in a browser share: a server on a folder of its own, a page that remembers everything that
// went wrong on it, looks at a page in every way, and a list of tests.
//
//   node walk.mjs KANON MODULES SHOTS [NAME ...]   runs the tests (of these names)
//
// MODULES is the folder with node_modules, SHOTS gets a picture of every view.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [path, modules, shots, ...names] = process.argv.slice(2);
if (!shots) {
  console.error("use: node TESTS.mjs KANON MODULES SHOTS [NAME ...]");
  process.exit(2);
}
const load = createRequire(join(resolve(modules), "x.js"));
const { chromium } = load("playwright-core");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
mkdirSync(shots, { recursive: true });

export const program = resolve(path);
// Nothing here waits for a fixed time; this only ends what hangs, also where a machine is slow.
const patience = Number(process.env.KANON_PATIENCE || 300_000);

// The command line, in a folder; what it prints.
export function kanon(folder, ...words) {
  return execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function fail(text) {
  throw new Error(text);
}

export function expect(is, text) {
  if (!is) fail(text);
}

// ---- the server -------------------------------------------------------------------------------

export class Server {
  constructor(folder, flags) {
    this.folder = folder;
    this.flags = flags;
  }

  async start(flags = this.flags) {
    this.child = spawn(program, ["serve", "--dir", join(this.folder, "projects"), ...flags], { cwd: this.folder, stdio: ["ignore", "pipe", "pipe"] });
    this.errors = "";
    this.child.stderr.on("data", (bytes) => (this.errors += bytes));
    let text = "";
    this.link = await new Promise((done, no) => {
      this.child.stdout.on("data", (bytes) => {
        text += bytes;
        const found = text.match(/http:\S+\n/);
        if (found) done(found[0].trim());
      });
      this.child.on("exit", (code) => no(new Error(`the server ended with ${code}: ${this.errors}`)));
    });
    this.base = new URL(this.link).origin;
    this.port = new URL(this.link).port;
  }

  async end(signal) {
    const ended = new Promise((done) => this.child.on("exit", done));
    this.child.removeAllListeners("exit");
    this.child.on("exit", () => {});
    const gone = new Promise((done) => this.child.once("exit", (code, how) => done([code, how])));
    this.child.kill(signal);
    const [code] = await gone;
    void ended;
    if (signal === "SIGINT") expect(code === 0, `the server ended with ${code}: ${this.errors}`);
  }
}

// ---- pages ------------------------------------------------------------------------------------

// A page whose console errors, failed requests and requests to other hosts are remembered.
async function watch(page, server, problems) {
  page.setDefaultTimeout(patience);
  page.setDefaultNavigationTimeout(patience);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(`console: ${message.text()} (${page.url()})`);
  });
  page.on("pageerror", (error) => problems.push(`script: ${error} (${page.url()})`));
  page.on("requestfailed", (request) => {
    // A stream or a page that is left is cut off by the browser itself.
    if (!/ERR_ABORTED/.test(request.failure().errorText)) problems.push(`request: ${request.url()} ${request.failure().errorText}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.protocol !== "blob:" && url.protocol !== "file:" && url.origin !== server.base) problems.push(`another host: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.url()}`);
  });
}

const sizes = { narrow: { width: 390, height: 844 }, wide: { width: 1400, height: 900 } };

// One view in light and dark, narrow and wide: a picture of each, nothing sticks out, and axe-core finds
// no serious fault.
export async function look(page, name) {
  for (const scheme of ["light", "dark"])
    for (const [width, size] of Object.entries(sizes)) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize(size);
      await page.screenshot({ path: join(shots, `${name}-${scheme}-${width}.png`), fullPage: true });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      const who = over <= 0 ? "" : await page.evaluate(() => [...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll,.wide")).map((one) => one.outerHTML.slice(0, 120))[0]);
      expect(over <= 0, `${name}, ${scheme}, ${width}: the page is ${over} pixels wider than the window: ${who}`);
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const serious = found.violations.filter((fault) => fault.impact === "serious" || fault.impact === "critical");
      expect(serious.length === 0, `${name}, ${scheme}, ${width}: ${serious.map((fault) => `${fault.help}: ${fault.nodes.slice(0, 3).map((node) => node.html).join(" ")}`).join("\n")}`);
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(sizes.wide);
}

// A picture of a view as it stands, and nothing else.
export async function shoot(page, name) {
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

// A picture for the manual: the window as a reader would see it, from a heading on. As WebP, which is small.
export async function picture(page, name, heading) {
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1100, height: 760 });
  if (heading) await page.locator("section", { has: page.getByRole("heading", { name: heading }) }).first().evaluate((section) => window.scrollTo({ top: section.getBoundingClientRect().top + scrollY - 12, behavior: "instant" }));
  else await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  await session.detach();
  writeFileSync(join(shots, `manual-${name}.webp`), Buffer.from(data, "base64"));
  await page.setViewportSize(sizes.wide);
}

// Until no work runs on this page: it is loaded anew by its own script.
export async function settle(page) {
  await page.waitForFunction(() => document.readyState === "complete" && !document.querySelector(".task[data-events]"), null, { timeout: patience });
}

// ---- tests ------------------------------------------------------------------------------------

const tests = [];

export function test(name, flags, body) {
  tests.push({ name, flags, body });
}

export async function runAll() {
  const browser = await chromium.launch({ executablePath: process.env.KANON_CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  let failed = 0;
  for (const { name, flags, body } of tests) {
    if (names.length && !names.includes(name)) continue;
    const folder = mkdtempSync(join(tmpdir(), "kanon-browser-"));
    const server = new Server(folder, flags);
    const problems = [];
    const context = await browser.newContext({ viewport: sizes.wide, acceptDownloads: true, bypassCSP: false });
    const page = await context.newPage();
    try {
      await server.start();
      await watch(page, server, problems);
      // axe-core is put into the page by the debugger; the page's own policy stays in force.
      await page.goto(server.link);
      await page.waitForURL((url) => url.pathname !== "/enter"); // a page that goes on by itself
      await page.waitForLoadState();
      await body({ page, server, context, folder, problems, open: async () => {
        const other = await context.newPage();
        await watch(other, server, problems);
        return other;
      }, plain: async () => {
        const state = await context.storageState();
        const without = await browser.newContext({ viewport: sizes.wide, javaScriptEnabled: false, storageState: state });
        const other = await without.newPage();
        await watch(other, server, problems);
        await other.goto(server.base);
        return other;
      } });
      expect(problems.length === 0, problems.join("\n"));
      await server.end("SIGINT");
      expect(server.errors === "", `the server said: ${server.errors}`);
      console.log(`ok      ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${String(error.stack).replace(/^/gm, "  ")}`);
      if (problems.length) console.log(problems.join("\n").replace(/^/gm, "  "));
      await page.screenshot({ path: join(shots, `failed-${name}.png`), fullPage: true }).catch(() => {});
      server.child?.kill("SIGKILL");
    }
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
  await browser.close();
  process.exit(failed ? 1 : 0);
}

export { join, readFileSync, writeFileSync };
