"""Checks a certificate of the best release (docs/certificate.md) from the definitions alone.

    recount_certificate.py TABLE --certificate proof.json --hierarchies DIR

TABLE is the one that was searched. It needs Python 3.8 and recount.py beside it, which reads tables and hierarchies;
exit status as there. Where the nodes whose cost would have to be computed are more than --most-nodes, it refuses to
judge. Not checked: the checksums, so that a certificate of another table is refuted, not recognised; the rows that
are named as witnesses, because every failing node is counted in full; and anything but k and the limit."""
import json
import sys
from collections import Counter, defaultdict
from fractions import Fraction

from recount import Bad, MISSING, Open, Table, Verdict, answer, arguments, hierarchies, meanings

class Lattice:
    """The table of a certificate at any node: who is left out there, and what it costs."""
    def __init__(self, args, proof, table):
        self.proof, self.table, self.known = proof, table, {}
        self.qi, self.k, self.limit = proof["quasi_identifiers"], proof["privacy"][0]["k"], proof["suppression"]["limit"]
        self.low = tuple(q.get("lowest", 0) for q in self.qi)
        self.high = tuple(q.get("highest", q["height"]) for q in self.qi)
        self.trees, names = hierarchies(args, [q["name"] for q in self.qi]), [q["name"] for q in self.qi]
        for q in self.qi:
            tree = self.trees.get(q["name"], {})
            if set(table.column(q["name"])) - set(tree) or {len(labels) for labels in tree.values()} != {q["height"] + 1}:
                raise Bad(f"the hierarchy of '{q['name']}' is missing, lacks a value of the table, or has another height")
        self.kinds = {name: meanings(self.trees[name], args, name) for name in names}
        who = proof.get("person") or {"promise": "", "suppress_by": "row"}
        self.people = table.column(who["column"]) if "column" in who else list(range(len(table.rows)))
        self.histories = who["promise"] == "histories"
        self.by_people = "column" in who and (who["suppress_by"] == "person" or self.histories)

    def at(self, node):
        """(groups: the rows that stay, by what they show; how many rows or people are left out). Who is in a group of
        fewer than k leaves, by person with all rows, and the rest is counted again until nobody leaves."""
        if node not in self.known:
            columns = [[self.trees[q["name"]][text][level] for text in self.table.column(q["name"])]
                       for q, level in zip(self.qi, node)]
            shown, stay = list(zip(*columns)), set(range(len(self.people)))
            crowd_of, gone = dict(enumerate(shown)), True
            if self.histories:
                history = defaultdict(Counter)
                for i in stay:
                    history[self.people[i]][shown[i]] += 1
                crowd_of = {i: frozenset(history[self.people[i]].items()) for i in stay}
            while gone:
                crowds = defaultdict(set)
                for i in stay:
                    crowds[crowd_of[i]].add(self.people[i])
                gone = {i for i in stay if len(crowds[crowd_of[i]]) < self.k}
                leavers = {self.people[i] for i in gone} if self.by_people else ()
                stay -= gone | {i for i in stay if self.people[i] in leavers}
            groups = defaultdict(list)
            for i in stay:
                groups[shown[i]].append(i)
            out = len(set(self.people)) - len({self.people[i] for i in stay}) if self.by_people else len(shown) - len(stay)
            self.known[node] = dict(groups), out
        return self.known[node]

    def share(self, q, level, label):
        """Of ncp: (hi - lo) / (max - min) of the numbers or dates under a label, else (values - 1) / (all values - 1)."""
        tree, (kind, meant) = self.trees[q["name"]], self.kinds[q["name"]]
        under = [text for text, labels in tree.items() if labels[level] == label]
        if kind == "text":
            return Fraction(len(under) - 1, max(1, len(tree) - 1))
        if MISSING in tree or "?" in tree:
            raise Open(f"'{q['name']}': the share of numbers with missing ones among them is not defined")
        low, high = min(map(meant, tree)), max(map(meant, tree))
        return (max(map(meant, under)) - min(map(meant, under))) / ((high - low) or 1)

    def cost(self, node):
        """The costs of kanon, where a row that is left out costs most."""
        groups, _ = self.at(node)
        name, n, sizes = self.proof["solution"]["cost"], len(self.people), [len(rows) for rows in groups.values()]
        out, weights = n - sum(sizes), [Fraction(str(q.get("weight", 1))) for q in self.qi]
        if name == "height":
            return Fraction(sum(node))
        if name == "discernibility":
            return Fraction(sum(size * size for size in sizes) + n * out)
        if name == "average-class":
            return Fraction(n, (len(sizes) + (out > 0)) * self.k)
        if name == "classification":
            classes = self.table.column(self.proof["class"])
            return Fraction(n - sum(max(Counter(classes[i] for i in rows).values()) for rows in groups.values()))
        if name == "distortion":  # the levels by which all cells were moved up, over the most there are
            most = sum(w * q["height"] for w, q in zip(weights, self.qi))
            return (sum(w * level for w, level in zip(weights, node)) * (n - out) + most * out) / (n * most or 1)
        if name == "precision":
            parts = sum(w * Fraction(level, q["height"] or 1) for w, level, q in zip(weights, node, self.qi)) * (n - out)
        elif name == "ncp":
            share = [{label: self.share(q, level, label) for label in {group[at] for group in groups}}
                     for at, (q, level) in enumerate(zip(self.qi, node))]
            parts = sum(w * s[label] * len(rows) for group, rows in groups.items()
                        for w, s, label in zip(weights, share, group))
        else:
            raise Open(f"the cost {name} is not known here")
        return (parts + sum(weights) * out) / (sum(weights) * n)

def above(b, a):
    """Node b is a, or above it: no level is lower."""
    return all(x >= y for x, y in zip(b, a))

def not_covered(low, high, minimal, failing):
    """A node of the box that is neither above a minimal nor below a failing one, or None. All of a box satisfies where
    its lowest node is above a minimal one, and fails where its highest is below a failing one; others are cut."""
    boxes = [(low, high)]
    while boxes:
        low, high = boxes.pop()
        if not (any(above(low, node) for node in minimal) or any(above(node, high) for node in failing)):
            if low == high:
                return low
            at = max(range(len(low)), key=lambda i: high[i] - low[i])
            middle = (low[at] + high[at]) // 2
            boxes += [(low, high[:at] + (middle,) + high[at + 1:]), (low[:at] + (middle + 1,) + low[at + 1:], high)]
    return None

def verify_certificate(args):
    table, verdict = Table(args.release, args), Verdict()
    try:
        with open(args.certificate, encoding="utf-8") as file:
            proof = json.load(file)
        lattice, solution = Lattice(args, proof, table), proof["solution"]
        key = "suppressed" if lattice.limit or lattice.histories else "row"
        minimal = {tuple(node["levels"]): node["suppressed"] for node in proof["minimal"]}
        failing = {tuple(node["levels"]): node[key] for node in proof["failing"]}
        best, value = tuple(solution["levels"]), Fraction(str(solution["value"]))
        fits = all(len(node) == len(lattice.qi) and above(node, lattice.low) and above(lattice.high, node)
                   for node in [best, *minimal, *failing])
        assert fits and (proof["format"], proof["version"]) == ("kanon-certificate", 2)
        assert len(proof["privacy"]) == 1 and proof["privacy"][0]["model"] == "k-anonymity"
        for said, nodes in (("minimal", minimal), ("failing", failing)):
            assert [list(node) for node in sorted(nodes)] == [node["levels"] for node in proof[said]]
        assert proof["input"]["rows"] == len(table.rows)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise Bad(f"{args.certificate}: not a certificate of this form, or of another table")
    left = not_covered(lattice.low, lattice.high, minimal, failing)
    verdict.say("every node is above a minimal or below a failing one", left is None, f"not {left}" if left else "")
    wrong = [node for node, said in minimal.items() if lattice.at(node)[1] != said or said > lattice.limit]
    verdict.say(f"{len(minimal)} minimal nodes satisfy", not wrong, f"not {wrong[0]}" if wrong else "")
    wrong = [node for node, said in failing.items() if lattice.at(node)[1] <= lattice.limit
             or key == "suppressed" and lattice.at(node)[1] != said]
    verdict.say(f"{len(failing)} failing nodes fail", not wrong, f"not {wrong[0]}" if wrong else "")
    wrong = [node for nodes in (minimal, failing) for node in nodes for other in nodes
             if node != other and above(node, other)]
    verdict.say("none of a list is above another", not wrong, f"{wrong[0]} is" if wrong else "")
    cost, out = lattice.cost(best), lattice.at(best)[1]
    right = out == solution["suppressed"] and out <= lattice.limit and abs(cost - value) <= abs(cost) / 10**9
    verdict.say("the solution", right, f"{out} left out, {solution['cost']} {float(cost):.9g}")
    if solution.get("optimal"):
        check_best(args, lattice, minimal, best, cost, verdict)
    return verdict

def check_best(args, lattice, minimal, best, cost, verdict):
    """Nothing is better. At limit 0 no cost falls when groups merge, so that the minimal nodes are enough; with a limit
    the cost of every node above them is computed, unless they are too many. Of equal costs the lower node is better,
    then the first; costs that are sums of fractions are equal where nine digits are."""
    nodes, seen = list(minimal), set(minimal)
    while lattice.limit and nodes and len(seen) <= args.most_nodes:
        node = nodes.pop()
        higher = {node[:i] + (node[i] + 1,) + node[i + 1:] for i in range(len(node)) if node[i] < lattice.high[i]} - seen
        nodes, seen = nodes + sorted(higher), seen | higher
    if len(seen) > args.most_nodes:
        verdict.say("optimality", None, f"more than {args.most_nodes} nodes; see --most-nodes")
        return
    near = cost / 10**9 if lattice.proof["solution"]["cost"] in ("ncp", "precision", "distortion") else 0
    costs = {node: lattice.cost(node) for node in seen if lattice.at(node)[0]}
    better = [node for node in costs if costs[node] < cost - near or near == 0 and costs[node] == cost
              and (sum(node), node) < (sum(best), best)]
    verdict.say("nothing is better", not better, f"{better[0]} is" if better else f"by the cost of {len(seen)} nodes")

def main(words):
    args = arguments(words, [("certificate", str, None), ("most-nodes", int, 1000)])
    if not args.certificate:
        print("recount_certificate: --certificate FILE is missing", file=sys.stderr)
        return 2
    return answer(args.certificate, verify_certificate, args)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
