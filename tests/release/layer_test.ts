/** Layers and layouts are the same byte by byte, whenever and in whatever order their files come. */
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { digestOf } from "../../release/digest.ts";
import { type LayerFile, makeLayer } from "../../release/layer.ts";
import { mediaType, OciLayout } from "../../release/oci_layout.ts";
import { withFolder } from "../support/folder.ts";

const date = new Date("2026-11-22T10:00:00Z");
const files: readonly LayerFile[] = [
  { path: "bin/deno", mode: 0o755, content: new TextEncoder().encode("program") },
  { path: "app/a/engine.cjs", mode: 0o644, content: new TextEncoder().encode("text") },
];

Deno.test("a layer has files and folders that root owns, with the time of the source", async () => {
  const { content, diffId } = await makeLayer(files, { about: "", date });
  const archive = gunzipSync(content);
  assert.equal(digestOf(archive), diffId);
  const entries = (await unpackTar(archive)).map(({ header: { name, mode, uid, gid, mtime } }) => [
    name,
    mode,
    uid,
    gid,
    mtime?.toISOString(),
  ]);
  const at = date.toISOString();
  assert.deepEqual(entries, [
    ["app/", 0o755, 0, 0, at],
    ["app/a/", 0o755, 0, 0, at],
    ["app/a/engine.cjs", 0o644, 0, 0, at],
    ["bin/", 0o755, 0, 0, at],
    ["bin/deno", 0o755, 0, 0, at],
  ]);
});

Deno.test("the order of files does not change a layer", async () => {
  const layers = await Promise.all(
    [files, files.toReversed()].map((each) => makeLayer(each, { about: "", date })),
  );
  assert.deepEqual(layers[0], layers[1]);
});

Deno.test("a layout stores each content under its digest and lists it", async () => {
  await withFolder({}, async (folder) => {
    const layout = await OciLayout.create(folder);
    const layer = await layout.put("text/plain", "content");
    const manifest = {
      schemaVersion: 2,
      mediaType: mediaType.manifest,
      artifactType: "text/x",
      layers: [layer],
    };
    const { digest, size } = await layout.offer(manifest, "1.0.0");
    await layout.close();
    const blob = (of: string): string => Deno.readTextFileSync(`${folder}/blobs/${of.replace(":", "/")}`);
    assert.equal(digestOf(blob(layer.digest)), layer.digest);
    assert.deepEqual(JSON.parse(blob(digest)), manifest);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${folder}/index.json`)).manifests, [{
      mediaType: mediaType.manifest,
      digest,
      size,
      artifactType: "text/x",
      annotations: { "org.opencontainers.image.ref.name": "1.0.0" },
    }]);
    assert.equal(await Deno.readTextFile(`${folder}/oci-layout`), '{"imageLayoutVersion":"1.0.0"}');
  });
});
