import { type Explanation, explanationText } from "./explanation.ts";
import { xmlText } from "./xml.ts";

/** Explanations as one page that loads no script, style or font. It folds rules that pass or do not apply. */
export function explanationPage(explanations: readonly Explanation[]): string {
  const body = explanations.map(sectionOf).join("\n");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Why policies decide as they do</title>
<style>${style}</style>
</head>
<body>
<h1>Why policies decide as they do</h1>
${body}
</body>
</html>`;
}

function sectionOf(explanation: Explanation): string {
  const [head = "", ...rules] = explanationText(explanation).split("\n\n");
  const isDenied = head.includes(": denied by ");
  return `<section>\n<h2 class="${isDenied ? "bad" : "good"}">${xmlText(head)}</h2>\n${
    rules.map(ruleOf).join("\n")
  }\n</section>`;
}

/** A rule: the first line shows its result, the lines below the steps. */
function ruleOf(text: string): string {
  const [title = "", ...lines] = text.split("\n");
  const outcome = /: (pass|fail|error|skip)\b/.exec(title)?.[1] ?? "none";
  if (lines.length === 0) return `<p class="none">${xmlText(title)}</p>`;
  const isOpen = outcome === "fail" || outcome === "error";
  return `<details class="${outcome}"${isOpen ? " open" : ""}><summary>${xmlText(title)}</summary><pre>${
    xmlText(lines.map((line) => line.replace(/^ {2}/, "")).join("\n"))
  }</pre></details>`;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; overflow-wrap: anywhere; }
h2::before { content: "\\2713\\00a0"; color: #1a7f37; } h2.bad::before { content: "\\2717\\00a0"; color: #cf222e; }
details, p.none { border-left: 4px solid #8888; margin: .5rem 0; padding: .25rem .75rem; }
details.pass { border-color: #1a7f37; } details.fail, details.error { border-color: #cf222e; }
p.none { color: #777; }
summary { cursor: pointer; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; }
`;
