/** Builds the playground into a folder: scripts, style, examples, and the list of files that work without a network. */
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";
import { collectExamples } from "./collect_examples.ts";

const source = fileURLToPath(new URL(".", import.meta.url));

/** Files that are copied as they are. */
const copied = ["icon.svg", "manifest.webmanifest"];

/** Writes the playground into a folder, which is made anew. */
export async function buildPlayground(out: string): Promise<void> {
  await Deno.remove(out, { recursive: true }).catch(() => undefined);
  await Deno.mkdir(out, { recursive: true });
  const common = { out, hashed: true };
  const workers = await bundle({
    ...common,
    entries: { engine: join(source, "worker/engine_worker.ts") },
    splitting: false,
  });
  const worker = fileOf(workers, "engine");
  const page = await bundle({
    ...common,
    entries: { playground: join(source, "app.tsx"), style: join(source, "style/main.css") },
    splitting: true,
    define: { WORKER: JSON.stringify(`./${worker}`) },
  });
  const examples = await collectExamples();
  await Deno.writeTextFile(join(out, "examples.json"), JSON.stringify(examples));
  for (const file of copied) await Deno.copyFile(join(source, file), join(out, file));
  const { texts, dialect } = examples[0]!.state;
  const html = filled(await Deno.readTextFile(join(source, "index.html")), {
    style: fileOf(page, "style"),
    script: fileOf(page, "playground"),
    welcome: JSON.stringify({ ...texts, dialect }).replaceAll("<", "\\u003c"),
  });
  await Deno.writeTextFile(join(out, "index.html"), html);
  const files = [...Deno.readDirSync(out)].map(({ name }) => name).filter((name) => name !== "index.html");
  await bundle({
    out,
    hashed: false,
    splitting: false,
    entries: { service_worker: join(source, "service_worker.ts") },
    define: {
      FILES: JSON.stringify(["./", ...files.sort()]),
      VERSION: JSON.stringify(await digest([html, ...files].join("\n"))),
    },
  });
}

/** The file that was made of an entry. */
function fileOf({ outputs }: Awaited<ReturnType<typeof bundle>>, entry: string): string {
  const names = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint !== undefined).map((
    [name],
  ) => basename(name));
  return names.find((name) => name.startsWith(`${entry}-`))!;
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /"\{\{(welcome)\}\}"|\{\{(\w+)\}\}/g,
    (_whole, json: string | undefined, name: string) => values[json ?? name]!,
  );
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].slice(0, 8).map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
