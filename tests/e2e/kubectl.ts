/** The output and the exit code of a command. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A real cluster for these tests; `undefined` where none is given. Says loudly what is missing. */
export function clusterForTests(): { kubeconfig: string } | undefined {
  const kubeconfig = Deno.env.get("TEST_KUBECONFIG");
  const missing = kubeconfig === undefined
    ? "TEST_KUBECONFIG is not set"
    : hasKubectl()
    ? undefined
    : "kubectl is not installed";
  if (missing === undefined) return { kubeconfig: kubeconfig! };
  // deno-lint-ignore no-console
  console.warn(`\n*** cluster tests skipped: ${missing} ***\n`);
  return undefined;
}

function hasKubectl(): boolean {
  try {
    return new Deno.Command("kubectl", { args: ["version", "--client"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

/** Runs kubectl, with text for its standard input. */
export async function kubectl(kubeconfig: string, args: readonly string[], input = ""): Promise<Ran> {
  const child = new Deno.Command("kubectl", {
    args: [`--kubeconfig=${kubeconfig}`, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

/** A Postern that was started as a process, and how to end it. */
export interface Started {
  readonly url: string;
  /** `host:port` of the metrics. */
  readonly metrics: string;
  readonly caBundle: string;
  stop(signal?: Deno.Signal): Promise<void>;
}

/**
 * Starts `main.ts serve` on free ports of the loopback address, with PORT for the webhook's in its arguments, and waits
 * until it listens. The flags are those of `deno run`.
 */
export async function startPostern(
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<Started> {
  const [port, metricsPort] = [freePort(), freePort()];
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-read",
      "--allow-net",
      "--allow-env",
      ...flags,
      "main.ts",
      "serve",
      "--port",
      String(port),
      "--metrics-port",
      String(metricsPort),
      ...args.map((each) => each.replace("PORT", String(port))),
    ],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const lines = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Try it:")) {
    const { value, done } = await lines.read();
    if (done) throw new Error(`postern did not start: ${text}`);
    text += value;
  }
  const caBundle = /caBundle of its certificate: (\S+)/.exec(text)?.[1] ?? "";
  const drained = (async () => {
    while (!(await lines.read()).done);
  })();
  return {
    url: `https://127.0.0.1:${port}`,
    metrics: `127.0.0.1:${metricsPort}`,
    caBundle,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      await child.status;
      await drained;
    },
  };
}

/** A port of the loopback address that nobody listens on. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

/** A kubeconfig whose only user has a token. */
export function asUser(kubeconfig: string, token: string): string {
  return kubeconfig.replace(/user: \{client-certificate-data: .*\}\}/, `user: {token: ${token}}}`);
}
