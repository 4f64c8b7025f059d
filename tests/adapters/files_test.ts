/** Files, folders, standard input, and the cluster that is made of them. */
import assert from "node:assert/strict";
import { clusterFromFiles } from "../../lib/open_ports/cluster_files.ts";
import { readFiles } from "../../lib/adapters/mod.ts";
import { asList, dig, field } from "../../lib/json/mod.ts";
import { countingEntropy, fixedClock } from "./fakes.ts";
import { withFolder } from "../support/folder.ts";

/** Runs with a folder that holds these files; a text that begins with `->` is a link. */
async function withFiles(
  files: Readonly<Record<string, string>>,
  run: (folder: string) => Promise<void>,
): Promise<void> {
  const isLink = ([, text]: readonly [string, string]): boolean => text.startsWith("->");
  const entries = Object.entries(files), links = entries.filter(isLink);
  const written = Object.fromEntries(entries.filter((each) => !isLink(each)));
  await withFolder(written, async (folder) => {
    for (const [name, text] of links) await Deno.symlink(text.slice(2), `${folder}/${name}`);
    await run(folder);
  });
}

Deno.test("files: folders are read recursively, in order, and only YAML and JSON", async () => {
  const files = {
    "b.yaml": "b",
    "a/z.yml": "z",
    "a/b.json": "{}",
    "a.YAML": "A",
    "notes.txt": "",
    ".hidden.yaml": "",
  };
  await withFiles(files, async (folder) => {
    const { files, diagnostics } = await readFiles([folder]);
    assert.deepEqual(files.map(({ file, text }) => [file.slice(folder.length), text]), [
      ["/a/b.json", "{}"],
      ["/a/z.yml", "z"],
      ["/a.YAML", "A"],
      ["/b.yaml", "b"],
    ]);
    assert.deepEqual(diagnostics, []);
  });
});

Deno.test("files: named files are read once each, in the given order", async () => {
  await withFiles({ "b": "1", "a.yaml": "2" }, async (folder) => {
    const paths = [`${folder}/b`, "-", folder, `${folder}/b`, "-"];
    const { files } = await readFiles(paths, { stdin: () => Promise.resolve("in") });
    assert.deepEqual(files.map(({ text }) => text), ["1", "in", "2"]);
  });
});

Deno.test("files: a mounted ConfigMap is read once, and circular links end", async () => {
  const files = {
    "..2026/p.yaml": "policy",
    "..data": "->..2026",
    "p.yaml": "->..data/p.yaml",
    "again": "->.",
  };
  await withFiles(files, async (folder) => {
    const { files, diagnostics } = await readFiles([folder]);
    assert.deepEqual(files.map(({ file }) => file), [`${folder}/p.yaml`]);
    assert.deepEqual(diagnostics, []);
  });
});

Deno.test("files: an unreadable file is a diagnostic, and the others are read", async () => {
  const files = {
    "gone.yaml": "->nowhere",
    "good.yaml": "x",
    "large.yaml": "x".repeat(11),
    "empty/none.txt": "",
  };
  await withFiles(files, async (folder) => {
    const { files, diagnostics } = await readFiles([folder, `${folder}/no`, `${folder}/empty`], {
      maxBytes: 10,
    });
    assert.deepEqual(files.map(({ text }) => text), ["x"]);
    assert.deepEqual(diagnostics.map(({ severity, code, position }) => [severity, code, position?.file]), [
      ["error", "unreadable-file", `${folder}/gone.yaml`],
      ["error", "missing-file", `${folder}/no`],
      ["warning", "empty-folder", `${folder}/empty`],
      ["error", "large-file", `${folder}/large.yaml`],
    ]);
  });
});

Deno.test("files: reading stops at the limit of files, with one diagnostic", async () => {
  await withFiles({ "a.yaml": "", "b.yaml": "", "c.yaml": "" }, async (folder) => {
    const { files, diagnostics } = await readFiles([folder], { maxFiles: 1 });
    assert.deepEqual([files.length, diagnostics.map(({ code }) => code)], [1, ["too-many-files"]]);
  });
});

Deno.test("a cluster of files has their objects and system objects; documents of other kinds are reported", async () => {
  const text = `
apiVersion: v1
kind: ConfigMap
metadata: {name: one, namespace: team}
data: {a: "1"}
---
just text
---
{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {x: "y"}}}]}
`;
  await withFiles({ "cluster.yaml": text }, async (folder) => {
    const { cluster, diagnostics } = await clusterFromFiles([folder], {
      clock: fixedClock(),
      entropy: countingEntropy(),
    });
    assert.deepEqual(diagnostics.map(({ code, position }) => [code, position?.line]), [["no-object", 7]]);
    const list = await cluster.call({ method: "GET", path: "/api/v1/namespaces" });
    assert.deepEqual(
      list.ok && asList(field(list.body, "items")).map((item) => dig(item, "metadata", "name")),
      [
        "default",
        "kube-node-lease",
        "kube-public",
        "kube-system",
        "team",
      ],
    );
    const one = await cluster.call({ method: "GET", path: "/api/v1/namespaces/team/configmaps/one" });
    assert.deepEqual(one.ok && field(one.body, "data"), { a: "1" });
  });
});
