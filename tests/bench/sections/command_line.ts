import { type Bench, median, root } from "../bench.ts";
import { systemText } from "../system_text.ts";

/** One run of a command, in a process of its own. */
interface Ran {
  readonly seconds: number;
  /** Of all processors, at the last look before its end: what does not depend on other work of the machine. */
  readonly processorSeconds: number;
  /** The most memory that was resident, in MiB. */
  readonly memory: number;
}

/** How `bin/postern` starts: what a user runs. */
const postern = `${root}bin/postern`;

/** The tests of Kyverno's policy library, where they are. */
const library = `${Deno.env.get("CONFORMANCE_CORPUS") ?? `${root}../shared/corpus`}/kyverno-tests/library`;

/** The command line: time and peak memory of `--help`, of a library of tests, and of 3,000 and 100,000 Pods. */
export async function commandLine({ inputs, results, folder, quick }: Bench): Promise<void> {
  results.section("Command line");
  const helps: Ran[] = [];
  for (let round = 0; round < (quick ? 3 : 9); round++) helps.push(await run(["--help"]));
  results.row("`--help`", figures({ ...helps[0]!, seconds: median(helps.map(({ seconds }) => seconds)) }));
  if (await exists(library)) {
    results.row("the tests of Kyverno's policy library", figures(await run(["test", library])));
  }
  const few = await applied(3_000);
  results.row("3,000 Pods × 17 policies", figures(few), {
    text: "≤ 2 s, ≤ 150 MiB",
    met: few.seconds <= 2 && isSmall(few),
  });
  const table = await applied(3_000, "--table");
  results.row("the same as a table", figures(table), { text: "≤ 150 MiB", met: isSmall(table) });
  const many = quick ? 20_000 : 100_000;
  const all = await applied(many);
  results.row(`${many.toLocaleString("en")} Pods × 17 policies`, figures(all), {
    text: "≤ 150 MiB, the memory of 3,000",
    met: isSmall(all),
  });

  async function applied(count: number, ...options: string[]): Promise<Ran> {
    const file = `${folder}/pods-${count}.yaml`;
    await writePods(file, count);
    return await run(["apply", inputs.security, "-r", file, ...options]);
  }
}

function figures({ seconds, processorSeconds, memory }: Ran): string {
  return `${seconds.toFixed(1)} s (${processorSeconds.toFixed(1)} of processors), ${memory.toFixed(0)} MiB`;
}

/** Whether a run stayed within the goal of memory; not when it was too short to be looked at. */
function isSmall({ memory }: Ran): boolean {
  return memory > 0 && memory <= 150;
}

/** Milliseconds between two looks at a process. */
const intervalMs = 50;

/** Ticks of the kernel's clock in a second. */
const ticksOfSecond = 100;

/** Runs Postern to its end; its peak memory is read from the kernel while it runs. */
async function run(args: readonly string[]): Promise<Ran> {
  const began = performance.now();
  const process = new Deno.Command(postern, { args: [...args], stdout: "null", stderr: "null" }).spawn();
  let memory = 0, ticks = 0, isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const about = await systemText(`/proc/${process.pid}/status`, `/proc/${process.pid}/stat`);
      memory = Math.max(memory, Number(/VmHWM:\s+(\d+)/.exec(about)?.[1] ?? 0) / 1024);
      // After the name in parentheses: the state, ten numbers, then the time in user code and in the kernel.
      const [, user = 0, kernel = 0] = /\) \w(?: -?\d+){10} (\d+) (\d+)/.exec(about)?.map(Number) ?? [];
      ticks = Math.max(ticks, user + kernel);
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  })();
  await process.status;
  const seconds = (performance.now() - began) / 1000;
  isOver = true;
  await watching;
  return { seconds, processorSeconds: ticks / ticksOfSecond, memory };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/** Writes Pods of some 3 KB each, of which one in fifty violates a policy. */
async function writePods(file: string, count: number): Promise<void> {
  if (await exists(file)) return;
  using out = await Deno.open(file, { write: true, create: true, truncate: true });
  const encoder = new TextEncoder();
  for (let index = 0; index < count;) {
    let text = "";
    for (const end = Math.min(count, index + 500); index < end; index++) text += pod(index);
    const bytes = encoder.encode(text);
    for (let written = 0; written < bytes.length;) written += await out.write(bytes.subarray(written));
  }
}

function pod(index: number): string {
  const containers = ["web", "proxy", "metrics"].map((name) => container(name, index)).join("");
  return `---
apiVersion: v1
kind: Pod
metadata:
  name: pod-${index}
  namespace: shop-${index % 20}
  labels: { app.kubernetes.io/name: shop, app.kubernetes.io/instance: shop-${index} }
  annotations: { checksum/config: 3f786850e387550fdab836ed7e6dc881de23001b }
spec:
  serviceAccountName: shop
  restartPolicy: Always
  containers:
${containers}  volumes:
  - name: config
    configMap: { name: shop }
`;
}

function container(name: string, index: number): string {
  return `  - name: ${name}
    image: registry.example.com/shop/${name}:1.${index}
    imagePullPolicy: IfNotPresent
    args: ["--port=8080", "--level=info"]
    ports:
    - containerPort: 8080
      protocol: TCP
    env:
    - name: POD_NAME
      valueFrom:
        fieldRef:
          fieldPath: metadata.name
    - name: LOG_LEVEL
      value: info
    resources:
      limits:
        cpu: 500m
        memory: 256Mi
      requests:
        cpu: 100m
        memory: 128Mi
    livenessProbe:
      httpGet:
        path: /healthz
        port: 8080
      initialDelaySeconds: 3
      periodSeconds: 10
    readinessProbe:
      httpGet:
        path: /ready
        port: 8080
    securityContext:
      allowPrivilegeEscalation: ${index % 50 === 0}
      runAsNonRoot: true
      capabilities:
        drop: [ALL]
      seccompProfile:
        type: RuntimeDefault
    volumeMounts:
    - mountPath: /etc/config
      name: config
      readOnly: true
`;
}
