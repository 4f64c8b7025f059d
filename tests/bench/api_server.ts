/** An API server on this machine, which scripts beside the project build and start. */
import { root } from "./bench.ts";

const kube = `${root}../shared/kube`;

/** Of the API server; its etcd has the next ones. */
export const port = Number(Deno.env.get("BENCH_API_PORT") ?? 28443);

/** Whether the scripts are there. */
export async function canStart(): Promise<boolean> {
  return await Deno.stat(`${kube}/start`).then(
    ({ mode }) => mode === null || (mode & 0o100) !== 0,
    () => false,
  );
}

/** Starts it, and answers with the path of a kubeconfig. */
export async function startApiServer(): Promise<string> {
  await runText(`${kube}/build`, []);
  const output = await runText(`${kube}/start`, [], { PORT: String(port), KCM: "0", SA: "0" });
  const found = /^KUBECONFIG=(.*)$/m.exec(output)?.[1];
  if (found === undefined) throw new Error(`the API server did not start: ${output}`);
  return found;
}

/** Ends it, with everything in it. */
export async function stopApiServer(): Promise<void> {
  await runText(`${kube}/stop`, [], { PORT: String(port) });
}

/** Applies objects, in JSON or YAML, at the server. */
export async function apply(kubeconfig: string, text: string): Promise<void> {
  const child = new Deno.Command("kubectl", {
    args: ["--kubeconfig", kubeconfig, "apply", "--server-side", "-f", "-"],
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  if (!(await child.status).success) throw new Error("kubectl apply failed");
}

/** Runs a command and returns its standard output. */
export async function runText(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], env, cwd: root })
    .output();
  const text = new TextDecoder();
  if (!success) throw new Error(`${command} failed: ${text.decode(stderr)}`);
  return text.decode(stdout);
}
