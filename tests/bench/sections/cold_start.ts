import { join } from "node:path";
import { type Command, type Image, serveCommand } from "../../support/image.ts";
import { type Bench, median, root } from "../bench.ts";
import { startTime } from "../load.ts";

/**
 * How often each way starts, in a quick run too. The machine's speed changes by a third within an hour, and with it a
 * start; what a start takes of the floor beside it stays within a tenth of 2.2.
 */
const rounds = 15;

/** A way to start, and the goal for it in milliseconds. */
interface Way {
  readonly what: string;
  readonly command: Command;
  readonly goal?: number;
}

/**
 * Measures from the start of the process to its first decision, in turn: from source, as `deno task start` does, and as
 * the image runs it. The image finds a certificate, as all replicas but the first of a cluster do, or makes one.
 */
export async function coldStart({ inputs, image, results, folder, generator }: Bench): Promise<void> {
  results.section("Cold start to the first decision, 17 pod security policies", {
    text:
      "From starting the process to the answer, for a client of Go that tries to connect all the time. The floor is " +
      "the smallest program that answers with `node:tls`, with the image's settings and its compiled modules of Node. " +
      "Compare runs by it: the machine's speed changes, and changes both.",
  });
  const certificates = join(folder, "certificates");
  const bundled = serveCommand(image, [inputs.security], ["--cert-dir", certificates]);
  const settings = await settingsOfTask();
  const fromSource = bundled.args.flatMap((each) => each === image.file ? [...settings, "main.ts"] : [each]);
  const ways: readonly Way[] = [
    {
      what: "`main.ts serve`",
      command: { args: fromSource.filter((each) => !each.startsWith("--cached")), env: {} },
      goal: 250,
    },
    { what: "the image's one file", command: bundled, goal: 90 },
    {
      what: "the image's one file, which makes its certificate",
      command: serveCommand(image, [inputs.security]),
    },
    { what: "floor", command: floorCommand(image, certificates) },
  ];
  const order = { path: "/validate/fail", bodyFile: inputs.review };
  // Makes the certificate that all others find.
  await startTime(generator, bundled, order);
  const times = ways.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { command }] of ways.entries()) {
      times[index]!.push(await startTime(generator, command, order));
    }
  }
  const floors = times.at(-1)!;
  for (const [index, { what, goal }] of ways.entries()) {
    const time = median(times[index]!);
    const ofFloor = median(times[index]!.map((each, round) => each / floors[round]!));
    const goals = goal === undefined ? [] : [{ text: `< ${goal} ms`, met: time < goal }];
    results.row(what, `${time.toFixed(0)} ms, ${ofFloor.toFixed(1)} of the floor`, goals);
  }
}

/** The settings of Deno and V8 in `deno task start`, without its permissions. */
async function settingsOfTask(): Promise<readonly string[]> {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
  return tasks.start.split(" ").filter((each: string) =>
    /^--(?:v8-flags=|node-modules-dir=|unstable-)/.test(each)
  );
}

function floorCommand({ env }: Image, certificates: string): Command {
  const permissions = ["--no-prompt", "--allow-read", "--allow-net"];
  return {
    args: ["run", "--cached-only", ...permissions, "tests/bench/start_floor.js", "PORT", certificates],
    env,
  };
}
