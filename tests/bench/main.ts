/**
 * The benchmark of the whole: `deno task bench`, or `deno task bench --quick` for a rougher one in half a minute. All
 * servers run at once and are loaded in turn, so that what else the machine does meets them alike; ratios are medians of
 * rounds. The load generator is a process of its own; that it is not the bottleneck is measured, too.
 */
import type { EngineTimes } from "./engine.ts";
import { findInputs, type Inputs } from "./inputs.ts";
import { loadServer, type Measured, type Server, startServer } from "./http/server.ts";
import { Table } from "./table.ts";

const quick = Deno.args.includes("--quick");
const rounds = quick ? 3 : 7;
const seconds = quick ? 1 : 2;
const warmUps = quick ? 1 : 2;
const soak = quick ? 10_000 : 100_000;
const root = new URL("../../", import.meta.url).pathname;
/**
 * A young heap that the processor's caches hold: it is what `deno task postern` runs with, too. Loading a thousand
 * policies would let it grow beyond them, and every request pay for that.
 */
const heap = "--v8-flags=--max-semi-space-size=8";

const folder = await Deno.makeTempDir({ prefix: "postern-bench-" });
const table = new Table();
try {
  const inputs = await findInputs(folder);
  table.note(
    `inputs: ${inputs.from}; ${rounds} rounds of ${seconds} s; ${navigator.hardwareConcurrency} processors`,
  );
  await engine(inputs);
  await coldStart(inputs);
  await throughput(inputs);
  await memory(inputs);
  table.print();
} finally {
  await Deno.remove(folder, { recursive: true });
}

function serveArguments(...policies: readonly string[]): string[] {
  const permissions = ["--allow-read", "--allow-env", "--allow-net=127.0.0.1"];
  const options = ["--no-tls", "--port", "PORT", "--metrics-port", "0", "--policies", policies.join(",")];
  return ["run", heap, "--no-prompt", ...permissions, "main.ts", "serve", ...options];
}

async function engine({ security, mutate, review }: Inputs): Promise<void> {
  const phases = [["17 pod security policies", security, "validate"], [
    "10 mutations",
    mutate,
    "mutate",
  ]] as const;
  for (const [what, policies, phase] of phases) {
    const args = [
      "run",
      "--no-prompt",
      "--allow-read",
      `${root}tests/bench/engine.ts`,
      policies,
      review,
      phase,
    ];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
    const { parse, evaluate }: EngineTimes = JSON.parse(new TextDecoder().decode(stdout));
    const value = `${evaluate.toFixed(1)} µs, ${(evaluate / parse).toFixed(2)} × JSON.parse of the review`;
    const goal = phase === "validate" ? { text: "≤ 2 ×", met: evaluate / parse <= 2 } : undefined;
    table.row(`engine alone: ${what}`, value, goal);
  }
}

async function coldStart(inputs: Inputs): Promise<void> {
  const bundle = `${folder}/bundle.js`;
  const make = [
    "run",
    "--allow-read",
    "--allow-write",
    "--allow-env",
    "--allow-run=deno",
    "main.ts",
    "bundle",
  ];
  const made = await new Deno.Command(Deno.execPath(), {
    args: [...make, "--policies", inputs.security, "--out", bundle],
    cwd: root,
    stderr: "null",
  }).output();
  const serveBundle = ["serve", "--no-prompt", "--host", "127.0.0.1", "--port", "PORT", bundle];
  const ways: readonly [string, readonly string[]][] = [
    ["`main.ts serve`", serveArguments(inputs.security)],
    ...(made.success ? [["the bundle under `deno serve`", serveBundle] as [string, string[]]] : []),
  ];
  for (const [what, args] of ways) {
    const times: number[] = [];
    for (let index = 0; index < (quick ? 3 : 7); index++) {
      const server = await startServer(args, await probe(inputs, "/validate/fail"));
      times.push(server.started);
      await server.stop();
    }
    const time = median(times);
    table.row(`cold start to first answer: ${what}`, `${time.toFixed(0)} ms`, {
      text: "< 250 ms",
      met: time < 250,
    });
  }
}

async function throughput(inputs: Inputs): Promise<void> {
  const echo = ["run", heap, "--no-prompt", "--allow-net=127.0.0.1", "tests/bench/http/echo.ts", "PORT"];
  const subjects: readonly [name: string, path: string, args: readonly string[]][] = [
    ["generator", "/ok", echo],
    ["floor", "/echo", echo],
    ["none", "/validate/fail", serveArguments(inputs.none)],
    ["security", "/validate/fail", serveArguments(inputs.security)],
    ["thousand", "/validate/fail", serveArguments(inputs.security, inputs.others)],
    ["mutate", "/mutate/fail", serveArguments(inputs.mutate)],
  ];
  const servers = new Map<string, Server>();
  const measured = new Map<string, Measured[]>(subjects.map(([name]) => [name, []]));
  try {
    for (const [name, path, args] of subjects) {
      servers.set(name, await startServer(args, await probe(inputs, path)));
    }
    // The first rounds only warm up: the runtime goes on compiling for some ten thousand requests.
    for (let round = 1 - warmUps; round <= rounds; round++) {
      for (const [name, path] of subjects) {
        const order = { path, bodyFile: inputs.review, seconds: round < 1 ? 2 * seconds : seconds };
        const load = await loadServer(servers.get(name)!, order);
        if (round > 0) measured.get(name)!.push(load);
      }
    }
  } finally {
    for (const server of servers.values()) await server.stop();
  }
  const show = (name: string): string => {
    const all = measured.get(name)!;
    const of = (key: keyof Measured) => median(all.map((load) => load[key]));
    return `${of("rate").toFixed(0)}/s, p50 ${of("p50").toFixed(2)} ms, p99 ${of("p99").toFixed(2)} ms, ${
      of("cost").toFixed(0)
    } µs of processor each`;
  };
  const ratio = (name: string, to: string, key: "rate" | "cost"): number =>
    median(measured.get(name)!.map((load, index) => load[key] / measured.get(to)![index]![key]));
  const share = (name: string, least: number) => {
    const found = ratio(name, "floor", "rate");
    return { text: `≥ ${least * 100} % of the floor: ${(found * 100).toFixed(0)} %`, met: found >= least };
  };
  const busy = Math.max(...measured.get("floor")!.map((load) => load.busy));
  table.row('load generator at its most (body taken, "ok")', show("generator"), {
    text: `not the bottleneck: ${(busy * 100).toFixed(0)} % of a core at the floor`,
    met: busy < 0.8 && ratio("generator", "floor", "rate") > 1.5,
  });
  table.row("floor: bare Hono, JSON echoed", show("floor"));
  table.row("Postern without policies", show("none"));
  table.row("17 pod security policies", show("security"), share("security", 0.7));
  const slower = ratio("thousand", "security", "cost") || 1 / ratio("thousand", "security", "rate");
  const slowerText = `≤ 1.05 × the time: ${slower.toFixed(2)} ×`;
  table.row("with 983 policies that do not match", show("thousand"), {
    text: slowerText,
    met: slower <= 1.05,
  });
  table.row("10 mutations, /mutate/fail", show("mutate"), share("mutate", 0.6));
}

async function memory(inputs: Inputs): Promise<void> {
  const path = "/validate/fail";
  const server = await startServer(serveArguments(inputs.security), await probe(inputs, path));
  try {
    const order = { path, bodyFile: inputs.review, seconds: 120, requests: soak };
    const start = await server.memory();
    await loadServer(server, order);
    const once = await server.memory();
    await loadServer(server, order);
    const twice = await server.memory();
    const value = `${start.toFixed(0)} MB at first, ${once.toFixed(0)} MB after ${soak}, ${
      twice.toFixed(0)
    } MB after ${2 * soak}`;
    const met = once < 120 && twice < 120 && twice <= once * 1.1;
    table.row("resident memory over requests", value, { text: "< 120 MB and flat (within 10 %)", met });
  } finally {
    await server.stop();
  }
}

async function probe({ review }: Inputs, path: string): Promise<{ path: string; body: string }> {
  return { path, body: await Deno.readTextFile(review) };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? NaN;
}
