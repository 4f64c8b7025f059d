import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page, Section } from "./page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The pages of the repository, in the order of the side bar. Each line: the file, its section and title. */
const written: readonly (readonly [file: string, section: Section, title: string])[] = [
  ["docs/getting-started.md", "Guide", "Getting started"],
  ["docs/how-it-decides.md", "Guide", "How it decides"],
  ["docs/playground.md", "Guide", "The playground"],
  ["docs/migration.md", "Guide", "From Kyverno"],
  ["docs/compatibility.md", "Guide", "Differences"],
  ["docs/edge.md", "Guide", "Bundles and the edge"],
  ["docs/library.md", "Guide", "In a program"],
  ["docs/support.md", "Reference", "What is supported"],
  ["docs/diagnostics.md", "Reference", "Diagnostics"],
  ["docs/images.md", "Running it", "Images"],
  ["docs/operations.md", "Running it", "Operations"],
  ["SECURITY.md", "Running it", "Security"],
  ["docs/limits.md", "Running it", "Limits"],
  ["docs/faults.md", "Running it", "Faults of the API server"],
  ["docs/records.md", "Running it", "Records of reviews"],
  ["docs/performance.md", "Running it", "Performance"],
  ["docs/memory.md", "Running it", "Memory"],
  ["docs/start.md", "Running it", "Start"],
  ["docs/metrics.md", "Running it", "Metrics"],
  ["docs/listener.md", "For builders", "The listener"],
  ["docs/ARCHITECTURE.md", "For builders", "Architecture"],
  ["CONTRIBUTING.md", "For builders", "Contributing"],
  ["docs/GLOSSARY.md", "For builders", "Glossary"],
  ["docs/releases.md", "For builders", "Releases"],
  ["CHANGELOG.md", "For builders", "Changelog"],
];

/** Pages by file, as links between files are turned into links between pages. */
const pathOf = new Map(written.map(([file]) => [file, file.split("/").at(-1)!.toLowerCase()]));

/** The pages that the repository has. Those made by other tasks, such as the benchmark's, may not be there. */
export async function writtenPages(): Promise<Page[]> {
  const pages: Page[] = [];
  for (const [file, section, title] of written) {
    const text = await Deno.readTextFile(join(root, file)).catch(() => undefined);
    if (text !== undefined) {
      pages.push({ path: pathOf.get(file)!, section, title, text: escaped(withLinks(text, file)) });
    }
  }
  return [{ path: "index.md", title: "Postern", text: home }, ...pages];
}

/** Links to files become links to pages; those to files that are no pages become code. */
function withLinks(text: string, from: string): string {
  return text.replace(
    /(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)]*)?\)/g,
    (whole, label: string, target: string, anchor = "") => {
      if (/^[a-z]+:/.test(target)) return whole;
      const file = join(from, "..", target);
      const page = pathOf.get(file);
      return page === undefined ? `${label} (\`${file}\`)` : `[${label}](/${page}${anchor})`;
    },
  );
}

/** Braces outside code blocks are text, not templates of the page. */
function escaped(text: string): string {
  return `<div v-pre>\n\n${text}\n\n</div>\n`;
}

const home = `---
layout: home
hero:
  name: Postern
  text: Kyverno's policies, in one small process
  tagline: A gate for light clusters, kind on a laptop, one container or one edge function. Your policies, unchanged.
  actions:
    - { theme: brand, text: Getting started, link: /getting-started }
    - { theme: alt, text: Try it in the browser, link: /playground/, target: _self }
    - { theme: alt, text: From Kyverno, link: /migration }
features:
  - { title: Compatible, details: "Patterns, foreach, JMESPath, apiCall, CEL, images, generate, exceptions: the same answers and messages, compared with 99,000 recorded ones." }
  - { title: Small, details: "One process of some 50 MiB, no CRDs needed. Policies are compiled when they are loaded; a request only executes." }
  - { title: Safe, details: "It never locks a cluster: webhooks are registered by a replica that serves. Every input has a bound." }
  - { title: Explains itself, details: "Which rule refused this, on what value, and why did that one not? explain, the playground and every message say." }
---
`;
