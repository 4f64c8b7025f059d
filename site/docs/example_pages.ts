import { collectExamples } from "../playground/collect_examples.ts";
import type { Example } from "../playground/state/examples.ts";
import { type Page, table } from "./page.ts";

/**
 * A page for each example, with the policy, the objects that its test tries it on, and what it says of them. The
 * examples are the repository's own tests, so what a page says is checked by them.
 */
export async function examplePages(): Promise<Page[]> {
  const examples = await collectExamples();
  const bySection = Map.groupBy(examples, ({ section }) => section);
  const pages: Page[] = [];
  for (const [section, found] of bySection) {
    const path = `examples/${slug(section)}.md`;
    const parts = found.map(exampleText);
    pages.push({
      path,
      section: "Policies by example",
      title: section.replace(/^Library: /, ""),
      text: [`# ${section.replace(/^Library: /, "")}`, ...parts].join("\n\n") + "\n",
    });
  }
  return pages;
}

function exampleText({ id, title, summary, state, expected }: Example): string {
  const { policies, resources } = state.texts;
  return [
    `## ${plain(title)}`,
    plain(summary),
    `<a href="/playground/#e=${id}" target="_self">Try it in the playground</a>`,
    block(policies),
    ...(resources.trim() === "" ? [] : ["::: details The objects of its test", block(resources), ":::"]),
    ...(expected.length === 0 ? [] : [
      table(
        ["rule", "object", "result"],
        expected.flatMap(({ policy, rule, resources, result }) =>
          (resources.length === 0 ? ["all"] : resources).map((name) => [rule || policy, name, result])
        ),
      ),
    ]),
  ].filter((part) => part !== "").join("\n\n");
}

function block(yaml: string): string {
  return `\`\`\`\`yaml\n${yaml.trimEnd()}\n\`\`\`\``;
}

/** Text that neither Markdown nor the page's templates read. */
function plain(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;");
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}
