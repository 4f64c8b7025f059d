/**
 * A release made of real packages, pushed to a real registry: reproducible, signed, verified by Postern's policy and by
 * cosign.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { makeRelease, type Release } from "../../release/image.ts";
import { fetchInputs, type PlatformInputs, platforms } from "../../release/inputs.ts";
import type { Descriptor } from "../../release/oci_layout.ts";
import { readSource } from "../../release/source.ts";
import { imageTools, runTool, startRegistry } from "./signing_tools.ts";
import { pushLayout } from "./push_layout.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = imageTools();
const spdxTools = Deno.env.get("SPDX_TOOLS") ?? "";
const builder = "urn:postern:test";

async function isHere(...programs: string[]): Promise<boolean> {
  const found = await Promise.all(
    programs.map(async (name) =>
      await new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stdout: "null" }).output()
    ),
  );
  return found.every(({ success }) => success);
}

/** Values that one step makes and all others share. */
interface Made {
  readonly folder: string;
  readonly release: Release;
  readonly publicKey: string;
}

Deno.test({
  name: "a release for two platforms is reproducible, and its signatures and statements are verified",
  ignore: tools === undefined || !await isHere("apt-get", "dpkg-deb", "npm", "git"),
  async fn(t) {
    const folder = await Deno.makeTempDir({ prefix: "postern-release-" });
    const registry = await startRegistry(tools!.registry);
    try {
      const inputs: PlatformInputs[] = [];
      for (const each of platforms) inputs.push(await fetchInputs(each, join(folder, each.architecture)));
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const source = await readSource(), name = `${registry.host}/postern`;
      const make = async (to: string, key = {}): Promise<Release> =>
        await makeRelease({ folder: join(folder, to), name, source, inputs, builder, ...key });
      const release = await make("first", { key: privateKey });
      const made: Made = {
        folder: join(folder, "first"),
        release,
        publicKey: String(publicKey.export({ type: "spki", format: "pem" })),
      };
      await t.step("a second build gives the same bytes", async () => {
        await make("second");
        assert.deepEqual(await contents(join(folder, "second")), await contents(made.folder));
      });
      await t.step({
        name: "the SPDX project's validator accepts the SBOM",
        ignore: spdxTools === "",
        fn: () => validateSbom(made, folder),
      });
      for (const { platform, digest } of release.images) {
        const { architecture } = platform!;
        await t.step({
          name: `the image for ${architecture} runs`,
          ignore: !await canRun(architecture),
          fn: () => runImage({ digest, made, root: join(folder, `root-${architecture}`), architecture }),
        });
      }
      await pushLayout(made.folder, registry.host, "postern");
      const image = `${name}:${source.version}`;
      await t.step(
        "Postern's policy admits the image by its signature, provenance and SBOM",
        () => decide({ ...made, folder, image, verdict: /pass: 2, fail: 0/ }),
      );
      await t.step("Postern's policy denies the image with another key", () => {
        const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey;
        const publicKey = String(other.export({ type: "spki", format: "pem" }));
        return decide({ publicKey, folder, image, verdict: /fail: [12],/ });
      });
      await t.step({
        name: "cosign verifies the image",
        ignore: tools?.cosign === undefined,
        fn: () =>
          verifyWithCosign({
            cosign: tools!.cosign!,
            made,
            image: `${name}@${release.index.digest}`,
            folder,
          }),
      });
    } finally {
      await registry.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** Lists the parts of a layout besides signatures, and the digests that it refers to. */
async function contents(folder: string): Promise<unknown> {
  const { manifests }: { manifests: Descriptor[] } = JSON.parse(
    await Deno.readTextFile(join(folder, "index.json")),
  );
  return manifests.filter(({ annotations }) =>
    !/\.(sig|att)$/.test(annotations?.["org.opencontainers.image.ref.name"] ?? "")
  );
}

function readJson(folder: string, digest: string): Record<string, Descriptor[]> {
  return JSON.parse(Deno.readTextFileSync(join(folder, "blobs", digest.replace(":", "/"))));
}

async function validateSbom({ folder: layout }: Made, folder: string): Promise<void> {
  const { manifests }: { manifests: Descriptor[] } = JSON.parse(
    await Deno.readTextFile(join(layout, "index.json")),
  );
  const { digest } = manifests.find(({ artifactType }) => artifactType === "application/spdx+json")!;
  const file = join(folder, "sbom.spdx.json");
  const [{ digest: document }] = readJson(layout, digest)["layers"] as [Descriptor];
  await Deno.copyFile(join(layout, "blobs", document.replace(":", "/")), file);
  await runTool(spdxTools, ["--infile", file], { cwd: folder });
}

/** Whether images for an architecture run here: on the same, or with QEMU's program for it. */
async function canRun(architecture: string): Promise<boolean> {
  const isRoot = Deno.uid() === 0 && await isHere("chroot", "unshare");
  const here = { x86_64: "amd64", aarch64: "arm64" }[Deno.build.arch] === architecture;
  return isRoot && (here || architecture === "arm64" && await isHere("qemu-aarch64-static"));
}

async function runImage(
  { digest, made, root, architecture }: {
    readonly digest: string;
    readonly made: Made;
    readonly root: string;
    readonly architecture: string;
  },
): Promise<void> {
  for (const layer of readJson(made.folder, digest)["layers"]!) {
    const bytes = await Deno.readFile(join(made.folder, "blobs", layer.digest.replace(":", "/")));
    for (const { header, data } of await unpackTar(gunzipSync(bytes))) {
      const path = join(root, header.name);
      if (header.type === "directory") await Deno.mkdir(path, { recursive: true });
      else await Deno.writeFile(path, data ?? new Uint8Array(), { mode: header.mode ?? 0o644 });
    }
  }
  await Deno.mkdir(join(root, "proc"));
  const here = { x86_64: "amd64", aarch64: "arm64" }[Deno.build.arch] === architecture;
  if (!here) await Deno.copyFile("/usr/bin/qemu-aarch64-static", join(root, "qemu"));
  const run = `${here ? "/tini -s --" : "/qemu"} /bin/deno run --no-prompt --cached-only ` +
    "--allow-read=/app --allow-env /app/postern.js version";
  const said = await runTool("unshare", [
    "--mount",
    "--pid",
    "--fork",
    "sh",
    "-c",
    `mount -t proc proc ${root}/proc && DENO_DIR=/app/compiled exec chroot ${root} ${run}`,
  ], { cwd: root });
  assert.match(said, /Version: \d+\.\d+\.\d+[^]*Deno: 2\./);
}

async function decide(
  { publicKey, folder, image, verdict }: {
    readonly publicKey: string;
    readonly folder: string;
    readonly image: string;
    readonly verdict: RegExp;
  },
): Promise<void> {
  await Deno.writeTextFile(join(folder, "policy.yaml"), policy(publicKey, image));
  await Deno.writeTextFile(
    join(folder, "pod.yaml"),
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "gate", namespace: "default" },
      spec: { containers: [{ name: "gate", image }] },
    }),
  );
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "main.ts",
      "apply",
      join(folder, "policy.yaml"),
      "-r",
      join(folder, "pod.yaml"),
      "--registry",
    ],
    cwd: root,
  }).output();
  assert.match(new TextDecoder().decode(stdout), verdict);
}

function policy(publicKeys: string, image: string): string {
  const keys = { publicKeys, rekor: { ignoreTlog: true }, ctlog: { ignoreSCT: true } };
  const attestors = [{ entries: [{ keys }] }];
  const condition = (key: string, value: string) => [{ all: [{ key, operator: "Equals", value }] }];
  const verifyImages = [{
    type: "Cosign",
    imageReferences: [`${image.slice(0, image.lastIndexOf(":"))}*`],
    failureAction: "Enforce",
    attestors,
    attestations: [
      {
        type: "https://slsa.dev/provenance/v1",
        attestors,
        conditions: condition("{{ runDetails.builder.id }}", builder),
      },
      {
        type: "https://spdx.dev/Document",
        attestors,
        conditions: condition("{{ spdxVersion }}", "SPDX-2.3"),
      },
    ],
  }];
  return JSON.stringify({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "release" },
    spec: {
      background: false,
      rules: [{ name: "signed", match: { any: [{ resources: { kinds: ["Pod"] } }] }, verifyImages }],
    },
  });
}

async function verifyWithCosign(
  { cosign, made, image, folder }: {
    readonly cosign: string;
    readonly made: Made;
    readonly image: string;
    readonly folder: string;
  },
): Promise<void> {
  const options = { cwd: folder, env: { HOME: folder } };
  await Deno.writeTextFile(join(folder, "key.pub"), made.publicKey);
  const how = ["--key", "key.pub", "--insecure-ignore-tlog=true", "--allow-http-registry"];
  await runTool(cosign, ["verify", ...how, image], options);
  for (const type of ["slsaprovenance1", "spdxjson"]) {
    await runTool(cosign, ["verify-attestation", "--type", type, ...how, image], options);
  }
}
