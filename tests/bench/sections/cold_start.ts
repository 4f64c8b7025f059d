import { type Bench, median, probeOf, root } from "../bench.ts";
import { type Command, serveCommand } from "../../support/image.ts";
import { startServer } from "../server.ts";

/**
 * From starting the process to its first decision: from source, as `deno task start` does, and as the image runs it, with a certificate that is there,
 * as each replica but the first of a cluster finds one, and with one that it makes.
 */
export async function coldStart({ inputs, image, results, quick, folder }: Bench): Promise<void> {
  results.section("Cold start to the first decision, 17 pod security policies");
  const making = serveCommand(image, [inputs.security]);
  const bundled = serveCommand(image, [inputs.security], ["--cert-dir", `${folder}/certificates`]);
  const settings = await settingsOfTask();
  const source: Command = {
    args: bundled.args.filter((each) => !each.startsWith("--cached"))
      .flatMap((each) => each === image.file ? [...settings, "main.ts"] : [each]),
    env: {},
  };
  const ways: readonly (readonly [string, Command, number | undefined])[] = [
    ["`main.ts serve`", source, 250],
    ["the image's one file", bundled, 90],
    ["the image's one file, which makes its certificate", making, undefined],
  ];
  const probe = await probeOf("/validate/fail", inputs.review);
  for (const [what, command, goal] of ways) {
    const times: number[] = [];
    for (let index = 0; index < (quick ? 3 : 9); index++) {
      const server = await startServer(command, probe);
      times.push(server.started);
      await server.stop();
    }
    const time = median(times);
    results.row(
      what,
      `${time.toFixed(0)} ms`,
      ...(goal === undefined ? [] : [{ text: `< ${goal} ms`, met: time < goal }]),
    );
  }
}

/** The settings of Deno and V8 in `deno task start`, without its permissions. */
async function settingsOfTask(): Promise<readonly string[]> {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
  return tasks.start.split(" ").filter((each: string) => /^--(?:v8-flags|node-modules-dir)=/.test(each));
}
