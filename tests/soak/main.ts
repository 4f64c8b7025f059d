/**
 * A long run of one server under load, as the image starts it: memory stays flat, every request is answered, and health
 * answers in time. `deno task soak` takes 35 minutes: 20 at half of the capacity, 10 at twice the capacity. Other
 * lengths: `deno task soak --steady 5 --overload 2` (minutes). It needs Go, and a machine that does nothing else for
 * its figures to mean much.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { admissionReview } from "../server/review.ts";
import { shippedPolicies } from "../support/shipped_policies.ts";
import { startReplica } from "../support/replica.ts";
import type { ServerProcess } from "../support/server_process.ts";

/** The figures that the client prints, for an interval or for the whole run. */
interface Figures {
  readonly seconds: number;
  readonly due: number;
  readonly unsent: number;
  readonly allowed: number;
  readonly denied: number;
  readonly shed: number;
  readonly lost: number;
  readonly wrong: number;
  readonly problem: string;
  readonly p50: number;
  readonly p99: number;
  readonly health: number;
  readonly healthP50: number;
  readonly healthP99: number;
  readonly healthMax: number;
  readonly healthLost: number;
}

/** How the client loads the server. */
interface Load {
  /** Reviews in a second; 0 for as many as are answered. */
  readonly rate: number;
  readonly connections: number;
  readonly seconds: number;
}

/** The limits that the run must keep. */
const bounds = {
  /** MiB that memory may grow between the first quarter and the end. */
  growth: 20,
  /** Milliseconds in which 99 of 100 questions about health are answered. */
  health: 250,
};

const { values: given } = parseArgs({
  args: Deno.args,
  options: {
    steady: { type: "string", default: "20" },
    overload: { type: "string", default: "10" },
    // Reviews in a second of the steady part, where others use the machine too.
    rate: { type: "string", default: "" },
    // Callers at the same time in the part with too much load.
    connections: { type: "string", default: "1000" },
  },
});
const folder = await Deno.makeTempDir({ prefix: "postern-soak-" });
try {
  Deno.exitCode = await soak(Number(given.steady), Number(given.overload)) ? 0 : 1;
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function soak(steady: number, overload: number): Promise<boolean> {
  const client = await buildClient();
  await writeReviews();
  await using server = await startReplica({
    policies: await shippedPolicies(),
    args: ["--log-level", "error"],
  });
  await run(client, server, { rate: 0, connections: 16, seconds: 10 });
  const { total } = await run(client, server, { rate: 0, connections: 16, seconds: 20 });
  const capacity = (total.allowed + total.denied) / total.seconds;
  print(`capacity: ${Math.round(capacity)} reviews a second`);
  const rate = given.rate === "" ? capacity / 2 : Number(given.rate);
  let isSteady = true;
  if (steady > 0) {
    const half = await run(client, server, { rate, connections: 256, seconds: steady * 60 });
    isSteady = isAsPromised(`${steady} minutes at ${Math.round(rate)} reviews a second`, half, true);
  }
  if (overload === 0) return isSteady;
  const twice = await run(client, server, {
    rate: capacity * 2,
    connections: Number(given.connections),
    seconds: overload * 60,
  });
  return isAsPromised(`${overload} minutes at twice the capacity`, twice, false) && isSteady;
}

/** A run with the memory of the server during it. */
interface Run {
  readonly total: Figures;
  /** MiB, every ten seconds. */
  readonly memory: readonly number[];
}

async function run(client: string, server: ServerProcess, load: Load): Promise<Run> {
  const memory: number[] = [];
  const sampling = setInterval(() => void server.memory().then(({ now }) => memory.push(now)), 10_000);
  const { seconds } = load;
  const probes = figuresOf(client, {
    health: `http://127.0.0.1:${server.metricsPort}/health/liveness`,
    connections: 0,
    seconds,
  });
  const reviews = figuresOf(client, {
    url: `${server.address}/validate/fail?timeout=10s`,
    allowed: join(folder, "allowed.json"),
    denied: join(folder, "denied.json"),
    ...load,
  });
  let probed: Figures | undefined, sent: Figures | undefined;
  const probing = (async () => {
    for await (const figures of probes) probed = figures;
  })();
  for await (const figures of reviews) {
    sent = figures;
    print(`  ${line({ ...sent, ...healthOf(probed) })}, ${Math.round(memory.at(-1) ?? NaN)} MiB`);
  }
  await probing;
  clearInterval(sampling);
  if (sent === undefined) throw new Error("the client printed nothing");
  return { total: { ...sent, ...healthOf(probed) }, memory };
}

/** Runs the client and reads its figures: those of each interval, then those of all. */
async function* figuresOf(
  client: string,
  flags: Readonly<Record<string, string | number>>,
): AsyncGenerator<Figures> {
  const args = Object.entries(flags).map(([name, value]) => `-${name}=${value}`);
  const process = new Deno.Command(client, { args, stdout: "piped", stderr: "inherit" }).spawn();
  let text = "";
  for await (const part of process.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield JSON.parse(text.slice(0, end)) as Figures;
      text = text.slice(end + 1);
    }
  }
  if (!(await process.status).success) throw new Error("the client failed");
}

function healthOf(figures: Figures | undefined): Partial<Figures> {
  if (figures === undefined) return {};
  const { health, healthP50, healthP99, healthMax, healthLost } = figures;
  return { health, healthP50, healthP99, healthMax, healthLost };
}

/** Prints what a run showed, and whether that is what is promised. */
function isAsPromised(what: string, { total, memory }: Run, isSteady: boolean): boolean {
  const early = memory[Math.floor(memory.length / 4)] ?? NaN, late = memory.at(-1) ?? NaN;
  print(`${what}: ${line(total)}`);
  print(`  memory: ${Math.round(early)} MiB after a quarter, ${Math.round(late)} MiB at the end`);
  const problems = [
    ...(total.lost + total.wrong > 0 ? [`${total.lost} lost, ${total.wrong} wrong: ${total.problem}`] : []),
    ...(isSteady && total.shed + total.unsent > 0 ? [`${total.shed + total.unsent} not answered`] : []),
    ...(late - early > bounds.growth ? ["memory grows"] : []),
    ...(total.healthLost > 0 ? [`${total.healthLost} questions about health without an answer`] : []),
    ...(total.healthP99 > bounds.health ? [`p99 of health is more than ${bounds.health} ms`] : []),
  ];
  for (const problem of problems) print(`  NOT AS PROMISED: ${problem}`);
  return problems.length === 0;
}

function line(figures: Figures): string {
  const { due, unsent, allowed, denied, shed, lost, wrong, p50, p99 } = figures;
  const { health, healthP50, healthP99, healthMax, healthLost } = figures;
  return `${due} due, ${allowed} allowed, ${denied} denied, ${shed} answered 503, ${unsent} not sent, ` +
    `${lost} lost, ${wrong} wrong; p50 ${p50} p99 ${p99} ms; ` +
    `health: ${health} answered, ${healthLost} not, p50 ${healthP50} p99 ${healthP99} max ${healthMax} ms`;
}

async function buildClient(): Promise<string> {
  const file = join(folder, "client");
  const { success } = await new Deno.Command("go", {
    args: ["build", "-o", file, "."],
    cwd: new URL("client/", import.meta.url).pathname,
    env: { CGO_ENABLED: "0", GOTOOLCHAIN: "local" },
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("the client could not be built: is Go installed?");
  return file;
}

async function writeReviews(): Promise<void> {
  for (const [name, isPrivileged] of [["allowed", false], ["denied", true]] as const) {
    const security = isPrivileged
      ? { privileged: true }
      : { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
    const object = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default", labels: { "app.kubernetes.io/name": "web" } },
      spec: {
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
        containers: [{ name: "web", image: "registry.example/web:1.2.3", securityContext: security }],
      },
    };
    await Deno.writeTextFile(join(folder, `${name}.json`), JSON.stringify(admissionReview({ object })));
  }
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
