import { dirname, join } from "node:path";
import { type Runtime, startServing } from "./running_bundle.ts";

const version = "1.20261117.1";
const compatibilityDate = "2026-11-01";

/** workerd, which runs Cloudflare Workers: settings are bindings of the worker. npm has the program. */
export const workerdRuntime: Runtime = {
  target: "workerd",
  isHere: async () => await program() !== undefined,
  async serve({ file, folder, settings, network }) {
    const configuration = join(folder, "workerd.capnp");
    await Deno.writeTextFile(configuration, configurationText(file, settings, network));
    return await startServing({
      command: (await program())!,
      args: ["serve", "--control-fd=1", configuration],
      listens: /"port":(\d+)/,
    });
  },
};

/** By default the worker may call this machine, where the test's API server is. */
function configurationText(
  file: string,
  settings: Readonly<Record<string, string>>,
  network: "public" | undefined,
): string {
  const allowed = network === undefined ? 'allow = ["private", "local"]' : "";
  const bindings = Object.entries(settings).map(([name, text]) =>
    `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`
  );
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "postern", worker = .postern),
    (name = "internet", network = (${allowed})),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "postern")],
);
const postern :Workerd.Worker = (
  modules = [(name = "postern.mjs", esModule = embed ${JSON.stringify(file.split("/").at(-1))})],
  compatibilityDate = "${compatibilityDate}",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [${bindings.join(", ")}],
);
`;
}

/** The program's path, found once; npm installs it when it is missing. */
function program(): Promise<string | undefined> {
  return found ??= find();
}

let found: Promise<string | undefined> | undefined;

async function find(): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("npx", {
      args: ["--yes", "--package", `workerd@${version}`, "--call", "command -v workerd"],
      stdin: "null",
      stderr: "null",
    }).output();
    if (!success) return undefined;
    const modules = dirname(dirname(new TextDecoder().decode(stdout).trim()));
    const system = Deno.build.os === "darwin" ? "darwin" : "linux";
    const processor = Deno.build.arch === "aarch64" ? "arm64" : "64";
    return join(modules, "@cloudflare", `workerd-${system}-${processor}`, "bin", "workerd");
  } catch {
    return undefined;
  }
}
