/** An API server on this machine, which scripts beside the project build and start. */
import { dirname } from "node:path";
import { root } from "./bench.ts";
import { systemText } from "./system_text.ts";

const kube = `${root}../shared/kube`;
/** Of the kernel's clock in a second (`getconf CLK_TCK`). */
const ticks = 100;

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

/** The processor time of the API server and its etcd since they started, in seconds. */
export async function serverProcessorTime(kubeconfig: string): Promise<number> {
  let seconds = 0;
  for (const name of ["kube-apiserver", "etcd"]) {
    // The time of threads that have ended counts, too.
    const [pid = ""] = (await systemText(`${dirname(kubeconfig)}/${name}.pid`)).split("\n");
    const [, fields = ""] = (await systemText(`/proc/${pid}/stat`)).split(") ");
    const [user, system] = fields.split(" ").slice(11, 13);
    seconds += (Number(user) + Number(system)) / ticks;
  }
  return seconds;
}

/** Seconds that it has waited for a webhook so far, by its metrics; 0 before the first call. */
export async function webhookTime(kubeconfig: string, name: string): Promise<number> {
  const metrics = await runText("kubectl", ["--kubeconfig", kubeconfig, "get", "--raw", "/metrics"]);
  const line = metrics.split("\n").find((line) =>
    line.startsWith("apiserver_admission_webhook_admission_duration_seconds_sum{") &&
    line.includes(`name="${name}"`)
  );
  return Number(line?.split(" ").at(-1) ?? 0);
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
