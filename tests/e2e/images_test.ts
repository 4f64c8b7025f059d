/**
 * A real registry, real signatures and a real API server: Postern admits what is signed, pins it, and refuses the rest.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { clusterForTests, kubectl, startPostern } from "./kubectl.ts";
import {
  type ImageTools,
  imageTools,
  pushImage,
  type RegistryServer,
  runTool,
  startRegistry,
} from "./signing_tools.ts";
import { until } from "./waiting.ts";
import { webhookConfiguration } from "./webhook_configuration.ts";

const cluster = clusterForTests();
const tools = imageTools();
const namespace = `postern-images-${crypto.randomUUID().slice(0, 8)}`;
const webhook = `${namespace}-webhook`;

Deno.test({
  name: "images that cosign and notation signed are admitted with their digests, unsigned ones are denied",
  ignore: cluster === undefined || (tools?.cosign ?? tools?.notation) === undefined,
  async fn(t) {
    const run = (args: string[], input?: string) => kubectl(cluster!.kubeconfig, args, input);
    const folder = await Deno.makeTempDir();
    const registry = await startRegistry(tools!.registry);
    let stop = () => Promise.resolve();
    try {
      const signed = await signAll(tools!, registry, folder);
      const [first] = Object.keys(signed);
      await Deno.writeTextFile(join(folder, "policies.yaml"), policies(registry, signed));
      await run(["create", "namespace", namespace]);
      await run(["create", "serviceaccount", "default", "-n", namespace]);
      const args = ["--policies", join(folder, "policies.yaml"), "--kubeconfig", cluster!.kubeconfig];
      const postern = await startPostern([...args, "--local-registries"]);
      stop = postern.stop;
      for (const kind of ["Validating", "Mutating"] as const) {
        const applied = await run(["apply", "-f", "-"], configuration(kind, postern));
        assert.equal(applied.code, 0, applied.err);
      }
      const unsigned = `${registry.host}/${first}/unsigned:v1`;
      await until(async () =>
        (await run(["create", "-f", "-"], pod("probe", unsigned))).err.includes("denied")
      );
      for (const [name, { digest }] of Object.entries(signed)) {
        await t.step(`${name}, signed: admitted with its digest`, async () => {
          const image = `${registry.host}/${name}/signed:v1`;
          const created = await run(
            ["create", "-f", "-", "-o", "jsonpath={.spec.containers[0].image}"],
            pod(name, image),
          );
          assert.equal(created.code, 0, created.err);
          assert.equal(created.out, `${image}@${digest}`);
        });
        await t.step(`${name}, not signed: denied`, async () => {
          const { code, err } = await run(
            ["create", "-f", "-"],
            pod(`${name}-unsigned`, `${registry.host}/${name}/unsigned:v1`),
          );
          assert.notEqual(code, 0);
          assert.match(err, /failed to verify image \S+\/unsigned:v1: /);
        });
      }
    } finally {
      for (const kind of ["validatingwebhookconfiguration", "mutatingwebhookconfiguration"]) {
        await run(["delete", kind, webhook, "--ignore-not-found"]);
      }
      await run(["delete", "namespace", namespace, "--wait=false"]);
      await stop();
      await registry.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** The result of signing: the digest, and the entry of a policy that requires the signature. */
interface SignedBy {
  readonly digest: string;
  readonly type: "Cosign" | "Notary";
  readonly entry: Record<string, unknown>;
}

/** Pushes a signed and an unsigned image for each tool. */
async function signAll(
  { cosign, notation }: ImageTools,
  { host }: RegistryServer,
  folder: string,
): Promise<Record<string, SignedBy>> {
  const push = async (tool: string) => {
    await pushImage(host, `${tool}/unsigned`, "v1");
    return await pushImage(host, `${tool}/signed`, "v1");
  };
  return {
    ...(cosign !== undefined &&
      { cosign: await signWithCosign(cosign, { host, folder, digest: await push("cosign") }) }),
    ...(notation !== undefined &&
      { notation: await signWithNotation(notation, { host, folder, digest: await push("notation") }) }),
  };
}

interface Signing {
  readonly host: string;
  readonly folder: string;
  readonly digest: string;
}

async function signWithCosign(cosign: string, { host, folder, digest }: Signing): Promise<SignedBy> {
  const options = { cwd: folder, env: { COSIGN_PASSWORD: "", HOME: folder } };
  await runTool(cosign, ["generate-key-pair"], options);
  const help = await runTool(cosign, ["sign", "--help"], options);
  // Newer releases write bundles and read a signing configuration by default.
  const newer = ["new-bundle-format", "use-signing-config"].filter((name) => help.includes(`--${name}`));
  const how = ["--key", "cosign.key", "--tlog-upload=false", "--yes", "--allow-http-registry"];
  const older = newer.map((name) => `--${name}=false`);
  await runTool(cosign, ["sign", ...how, ...older, `${host}/cosign/signed@${digest}`], options);
  const publicKeys = await Deno.readTextFile(join(folder, "cosign.pub"));
  const keys = { publicKeys, rekor: { ignoreTlog: true }, ctlog: { ignoreSCT: true } };
  return { digest, type: "Cosign", entry: { keys } };
}

async function signWithNotation(notation: string, { host, folder, digest }: Signing): Promise<SignedBy> {
  const options = { cwd: folder, env: { HOME: folder, XDG_CONFIG_HOME: folder } };
  await runTool(notation, ["cert", "generate-test", "--default", "postern.test"], options);
  await runTool(notation, ["sign", "--insecure-registry", `${host}/notation/signed@${digest}`], options);
  const cert = await Deno.readTextFile(join(folder, "notation/localkeys/postern.test.crt"));
  return { digest, type: "Notary", entry: { certificates: { cert } } };
}

function policies({ host }: RegistryServer, signed: Record<string, SignedBy>): string {
  return Object.entries(signed).map(([name, { type, entry }]) =>
    JSON.stringify({
      apiVersion: "kyverno.io/v1",
      kind: "ClusterPolicy",
      metadata: { name },
      spec: {
        background: false,
        rules: [{
          name: "signed",
          match: { any: [{ resources: { kinds: ["Pod"] } }] },
          verifyImages: [{
            type,
            imageReferences: [`${host}/${name}/*`],
            failureAction: "Enforce",
            attestors: [{ entries: [entry] }],
          }],
        }],
      },
    })
  ).join("\n---\n");
}

function pod(name: string, image: string): string {
  const spec = { containers: [{ name: "web", image }] };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, spec });
}

function configuration(
  kind: "Validating" | "Mutating",
  postern: { readonly url: string; readonly caBundle: string },
): string {
  return webhookConfiguration({ kind, name: webhook }, postern, [{
    name: "images.postern.test",
    path: kind === "Validating" ? "/validate/fail" : "/mutate/fail",
    namespace,
    resources: ["pods"],
    operations: ["CREATE"],
  }]);
}
