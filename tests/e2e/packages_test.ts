/** On a real API server: it takes what Helm and kustomize render. */
import assert from "node:assert/strict";
import { run } from "../../lib/cli/mod.ts";
import { deployTool } from "../support/deploy_tools.ts";
import { clusterForTests, kubectl } from "./kubectl.ts";

const cluster = clusterForTests();
const helm = await deployTool("helm"), kustomize = await deployTool("kustomize");
const silent = { out: () => {}, err: () => {} };

async function text(command: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

const renderings: readonly {
  name: string;
  format: string;
  path: string | undefined;
  render(folder: string): string[];
}[] = [
  // The namespace is one that is there: nothing is really made, so no other could hold the objects.
  {
    name: "helm, policies of files",
    format: "helm",
    path: helm.path,
    render: (folder) => ["template", "postern", folder, "--set", "createNamespace=false,dashboard=true"],
  },
  {
    name: "helm, policies of the cluster",
    format: "helm",
    path: helm.path,
    render: (folder) => ["template", "postern", folder, "--set", "createNamespace=false,policies=cluster"],
  },
  { name: "kustomize", format: "kustomize", path: kustomize.path, render: (folder) => ["build", folder] },
];

for (const { name, format, path, render } of renderings) {
  Deno.test({
    name: `cluster: the API server accepts every object of ${name}`,
    ignore: cluster === undefined || path === undefined,
    async fn() {
      const folder = `${await Deno.makeTempDir()}/made`;
      try {
        const args = ["--policies", "policies", "--namespace", "default", "--secret-path", "none"];
        assert.equal(await run(["manifests", ...args, "--format", format, "--out", folder], silent), 0);
        const rendered = await text(path!, render(folder));
        const server = ["apply", "--dry-run=server", "--server-side", "--force-conflicts", "-f", "-"];
        const applied = await kubectl(cluster!.kubeconfig, server, rendered);
        assert.equal(applied.code, 0, applied.err);
        assert.doesNotMatch(applied.err, /unknown field/);
        const objects = rendered.match(/^kind: /gm) ?? [];
        assert.equal(applied.out.trim().split("\n").length, objects.length);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
