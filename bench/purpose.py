#!/usr/bin/env python3
"""What a release that is made for a model (--for) is worth to it, beside others: docs/benchmarks/purpose.md.

    bench/purpose.py KANON ADULT [K...]     measures; ADULT is the folder of adult-30162.csv and hierarchies/
    bench/purpose.py --draw FIGURES.json PICTURE.svg

Measuring writes figures to purpose.json, which is added to, and prints the table of the page. Nothing is random: the
same program finds the same.
"""
import json
import os
import subprocess
import sys
import tempfile

MODEL = "salary-class ~ age + marital-status + education + occupation"
QUASI = "age,gender,race,marital-status,education,native-country,work-class,occupation"
SIZES = [5, 10, 50, 100]
LEVELS = ["--algorithm", "auto", "--suppress", "1%"]
REGIONS = ["--algorithm", "mondrian"]
LOCAL = ["--algorithm", "top-down"]
METHODS = [
    ("levels, discernibility", LEVELS + ["--cost", "discernibility"]),
    ("levels, ncp", LEVELS + ["--cost", "ncp"]),
    ("levels, classification", LEVELS + ["--cost", "classification"]),
    ("levels, `--for`", LEVELS + ["--for", MODEL]),
    ("top-down, ncp", LOCAL + ["--cost", "ncp"]),
    ("top-down, `--for`", LOCAL + ["--for", MODEL]),
    ("mondrian", REGIONS),
    ("mondrian, ncp", REGIONS + ["--cost", "ncp"]),
    ("mondrian, ncp, tree", REGIONS + ["--cost", "ncp", "--categories", "tree"]),
    ("mondrian, classification", REGIONS + ["--cost", "classification"]),
    ("mondrian, `--for`", REGIONS + ["--for", MODEL]),
    ("mondrian, `--for`, `--split purpose`", REGIONS + ["--for", MODEL, "--split", "purpose"]),
]


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(" ".join(words) + "\n" + done.stderr)


def measure(kanon, adult, k, flags, folder):
    table, hierarchies = adult + "/adult-30162.csv", adult + "/hierarchies"
    release, found, useful = (os.path.join(folder, name) for name in ("r.csv", "r.json", "u.json"))
    run([kanon, "anonymize", table, "-o", release, "--force", "--quiet", "--k", str(k), "--qi", QUASI, "--class",
         "salary-class", "--hierarchies", hierarchies, "--json", found] + flags)
    run([kanon, "utility", release, "--original", table, "--hierarchies", hierarchies, "--regress", MODEL,
         "--classify", MODEL, "--json", useful, "--force"])
    with open(found) as file:
        result = json.load(file)
    with open(useful) as file:
        useful = json.load(file)
    regression, classified = useful["regressions"][0], useful["classifications"][0]
    by_name = {one["name"]: one for one in classified["classifiers"]}
    return {
        "errors": result["metrics"]["classification"],
        "compared": regression["compared"],
        "of": sum(one["original"] is not None for one in regression["coefficients"]),
        "overlap": regression["mean_overlap"],
        "ratio": useful["propensity"]["ratio"],
        **{name: {side: by_name[name][side] for side in ("original", "release")} for name in ("logistic", "tree")},
    }


def show(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def print_table(figures):
    for k in SIZES:
        if str(k) not in figures:
            continue
        print(f"\n**k = {k}**\n")
        print("| release | logistic: accuracy | area | tree: accuracy | area | overlap | of coefficients | pMSE ratio |")
        print("|---|---|---|---|---|---|---|---|")
        for name, _ in METHODS:
            f = figures[str(k)][name]
            print(f"| {name} | {show(f['logistic']['release']['accuracy'], 4)} | {show(f['logistic']['release']['auc'], 3)}"
                  f" | {show(f['tree']['release']['accuracy'], 4)} | {show(f['tree']['release']['auc'], 3)}"
                  f" | {show(f['overlap'], 2)} | {f['compared']} of {f['of']} | {f['ratio']:,.0f} |")


# ---- the picture ------------------------------------------------------------------------------------

SHOWN = [("levels, ncp", "#9a9a9a", "4 3"), ("levels, `--for`", "#404040", ""), ("top-down, ncp", "#c9a227", "4 3"),
         ("top-down, `--for`", "#8a6d00", ""), ("mondrian, ncp", "#6fa8dc", "4 3"), ("mondrian, `--for`", "#0b5394", ""),
         ("mondrian, `--for`, `--split purpose`", "#38761d", "")]
PANELS = [("area under ROC, logistic", lambda f: f["logistic"]["release"]["auc"], 0.55, 0.90),
          ("overlap of intervals", lambda f: f["overlap"], -0.5, 1.0)]


def draw(figures, path):
    wide, high, left, top = 330, 260, 60, 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * (wide + 90)} {high + 220}" '
           'font-family="sans-serif" font-size="12" fill="#222">',
           f'<rect width="{2 * (wide + 90)}" height="{high + 220}" fill="#fff"/>']
    for p, (title, value, least, most) in enumerate(PANELS):
        x0, y0 = left + p * (wide + 80), top

        def across(i, x0=x0):
            return x0 + wide * i / (len(SIZES) - 1)

        def upward(v, y0=y0, least=least, most=most):
            return y0 + high * (1 - (max(least, v) - least) / (most - least))

        out.append(f'<text x="{x0}" y="{y0 - 14}" font-size="14">{title}</text>')
        for step in range(6):
            v = least + (most - least) * step / 5
            out.append(f'<line x1="{x0}" x2="{x0 + wide}" y1="{upward(v):.1f}" y2="{upward(v):.1f}" stroke="#ddd"/>'
                       f'<text x="{x0 - 6}" y="{upward(v) + 4:.1f}" text-anchor="end">{v:.2f}</text>')
        for i, k in enumerate(SIZES):
            out.append(f'<text x="{across(i):.1f}" y="{y0 + high + 18}" text-anchor="middle">k = {k}</text>')
        for name, color, dashes in SHOWN:
            spots = [(across(i), upward(value(figures[str(k)][name]))) for i, k in enumerate(SIZES)
                     if value(figures[str(k)][name]) is not None]
            style = f' stroke-dasharray="{dashes}"' if dashes else ""
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
            out.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"{style}/>')
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in spots]
    for i, (name, color, dashes) in enumerate(SHOWN):
        x, y = left + (i % 2) * (wide + 80), top + high + 50 + i // 2 * 26
        style = f' stroke-dasharray="{dashes}"' if dashes else ""
        out.append(f'<line x1="{x}" x2="{x + 34}" y1="{y - 4}" y2="{y - 4}" stroke="{color}" stroke-width="2"{style}/>'
                   f'<text x="{x + 42}" y="{y}">{name.replace("`", "")}</text>')
    with open(path, "w") as file:
        file.write("\n".join(out + ["</svg>", ""]))


def main(words):
    if words[:1] == ["--draw"]:
        with open(words[1]) as file:
            draw(json.load(file), words[2])
        return
    kanon, adult, sizes = words[0], words[1], [int(k) for k in words[2:]] or SIZES
    figures = {}
    if os.path.exists("purpose.json"):
        with open("purpose.json") as file:
            figures = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        for k in sizes:
            figures[str(k)] = {}
            for name, flags in METHODS:
                figures[str(k)][name] = measure(kanon, adult, k, flags, folder)
                os.remove(os.path.join(folder, "r.json"))
            with open("purpose.json", "w") as file:
                json.dump(figures, file, indent=1)
    print_table(figures)


main(sys.argv[1:])
