// Tables as other programs export them, through all pages: a German hospital's CSV (semicolons, Latin-1, decimal commas,
// 14.03.1980, NA and -9, names, several rows per patient), a workbook with two sheets, a file of SPSS. No step is refused, and
// the figures are those of the same rows as kanon writes them.
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, kanon, readFileSync, runAll, settle, shoot, test, writeFileSync } from "./browser.mjs";

const support = join(dirname(fileURLToPath(import.meta.url)), "../support");
const ward = (as) => execFileSync("bash", [join(support, "make-ward.sh"), as]);
const button = (page, name) => page.getByRole("button", { name });
const step = async (page, name) => {
  await page.locator("ol.steps").getByRole("link", { name }).click();
  await settle(page);
};

// Nothing on the page says that something failed.
const whole = async (page, name) => {
  await shoot(page, name);
  const text = await page.locator("main").innerText();
  for (const word of ["failed", "does not work", "are about tables in files", "Nothing keeps"]) expect(!text.includes(word), `${name} says '${word}': ${text.slice(0, 3000)}`);
  return text;
};

// Patient Nachname geboren PLZ Geschlecht Gewicht Kosten Diagnose: who is who, four quasi-identifiers, one sensitive column.
const roles = ["id", "id", "qi", "qi", "qi", "qi", "drop", "sensitive"];

// From the columns to a release; what the release was found to lose. With `person` k counts patients; only levels can do that by now.
async function walk(page, name, project, server, person) {
  await step(page, "Columns");
  for (const [at, role] of roles.entries()) await page.locator(`select[name=role-${at + 1}]`).selectOption(role);
  await page.locator("#s-person").selectOption(person ? { label: person } : "");
  await button(page, "Save").first().click();
  await settle(page);
  await whole(page, `${name}-columns`);
  await step(page, "Hierarchies");
  await whole(page, `${name}-hierarchies`);
  for (const at of [3, 4, 5, 6]) {
    await page.goto(`${server.base}/p/${project}/hierarchies/${at}`);
    await settle(page);
    await whole(page, `${name}-hierarchy-${at}`);
  }
  await step(page, "Promise");
  await page.getByLabel(/at least how many (rows|people)/).fill("4");
  await page.getByRole("spinbutton", { name: "at most", exact: true }).fill("5");
  await button(page, "Save, and estimate").click();
  await settle(page);
  await whole(page, `${name}-promise`);
  const losses = await page.locator("[data-loss]").evaluateAll((all) => all.map((one) => one.dataset.loss));
  expect(losses.length > 0, "there are estimates");
  await step(page, "Explore");
  await button(page, "Search all combinations").click();
  await settle(page);
  if (!person) {
    await page.locator("summary", { hasText: "Which models" }).click();
    for (const box of await page.getByRole("checkbox", { name: /unrestricted|subgraph|subtree|ordered-set/ }).all()) await box.uncheck();
    await button(page, "Compare recoding models").click();
    await settle(page);
    expect((await page.getByRole("link", { name: "Release as" }).count()) > 3, "models are compared");
  }
  await whole(page, `${name}-explore`);
  await button(page, /^Pin/).first().click();
  await settle(page);
  await page.goto(`${server.base}/p/${project}/explore/compare`);
  await settle(page);
  await whole(page, `${name}-compare`);
  await step(page, "Release");
  await button(page, "Make the release").click();
  await settle(page);
  const text = await whole(page, `${name}-release`);
  expect(text.includes("The promise holds"), `it was released: ${text.slice(0, 2000)}`);
  return losses;
}

async function upload(page, file, project) {
  await page.setInputFiles("#file", file);
  await button(page, "Open").click();
  await page.waitForURL(`**/p/${project}/table`);
  await settle(page);
}

// The same rows as kanon writes them: what every other walk has to find.
async function plain(page, folder, server) {
  writeFileSync(join(folder, "plain.csv"), ward("plain"));
  await page.goto(server.base);
  await upload(page, join(folder, "plain.csv"), "plain");
  return walk(page, "plain", "plain", server);
}

test("hospital", [], async ({ page, folder, server }) => {
  writeFileSync(join(folder, "export.csv"), ward("ward"));
  await upload(page, join(folder, "export.csv"), "export");
  await button(page, "Yes, read it like this").click();
  await settle(page);
  expect((await whole(page, "hospital-table")).includes("Müller"), "names are read as they are written");
  const job = readFileSync(join(folder, "projects/export/kanon.yaml"), "utf8");
  for (const word of ["latin1", "Gewicht=NA,-9", "Gewicht=,", "geboren=%d.%m.%Y"]) expect(job.includes(word), `${word}: ${job}`);
  const losses = await walk(page, "hospital", "export", server);
  const released = readFileSync(join(folder, "projects/export/releases/1/release.csv"), "utf8");
  for (const secret of ["Müller", "Nowak", "91000"]) expect(!released.includes(secret), `the release has ${secret}`);
  expect(JSON.stringify(losses) === JSON.stringify(await plain(page, folder, server)), "other figures of the same rows");
});

test("patients", [], async ({ page, folder, server }) => {
  writeFileSync(join(folder, "export.csv"), ward("ward"));
  await upload(page, join(folder, "export.csv"), "export");
  await button(page, "Yes, read it like this").click();
  await settle(page);
  await walk(page, "patients", "export", server, "Patient");
  const result = JSON.parse(readFileSync(join(folder, "projects/export/releases/1/result.json"), "utf8"));
  expect(result.person.name === "Patient" || result.person.column === "Patient", `people are counted: ${JSON.stringify(result.person)}`);
  const told = await page.locator("main").innerText();
  expect(told.includes("of a person") && !told.includes("risk of a row"), "the page tells the risk of people");
});

test("workbook", [], async ({ page, folder, server }) => {
  writeFileSync(join(folder, "plain.csv"), ward("plain"));
  execFileSync("python3", [join(support, "make_workbook.py"), join(folder, "plain.csv"), join(folder, "book.xlsx")]);
  await upload(page, join(folder, "book.xlsx"), "book");
  await page.locator("#s-sheet").selectOption("Daten");
  await button(page, "Read this sheet").click();
  await settle(page);
  await whole(page, "workbook-table");
  await walk(page, "workbook", "book", server);
});

test("spss", [], async ({ page, folder, server }) => {
  writeFileSync(join(folder, "plain.csv"), ward("plain"));
  kanon(folder, "anonymize", "plain.csv", "-o", "people.sav", "--qi", "Geschlecht=suppress", "--level", "Geschlecht=0", "--k", "1", "--keep", "Patient,Nachname,geboren,PLZ,Gewicht,Kosten,Diagnose", "-q");
  await upload(page, join(folder, "people.sav"), "people");
  await whole(page, "spss-table");
  await walk(page, "spss", "people", server);
});

await runAll();
