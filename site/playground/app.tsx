/** The page. */
import { effect } from "@preact/signals";
import { type JSX, render } from "preact";
import { learn } from "./editor/language_notes.ts";
import type { Schema } from "./editor/schema.ts";
import "./state/appearance.ts";
import { Engine } from "./state/engine.ts";
import { type Example, examples } from "./state/examples.ts";
import { layout } from "./state/layout.ts";
import { fragmentOf, readState, stateOf } from "./state/share.ts";
import {
  announcement,
  checkedState,
  diagnostics,
  dialect,
  exampleId,
  inputCount,
  isCurrent,
  isRunning,
  load,
  outcome,
  outcomeIndex,
  pane,
  type PaneName,
  playgroundState,
  refusedCount,
  selected,
  spokenResult,
  take,
  texts,
  tool,
} from "./state/store.ts";
import { ExamplesDialog, openExample } from "./views/examples_dialog.tsx";
import { ExpressionTool } from "./views/expression_tool.tsx";
import { PaneEdge } from "./views/pane_edge.tsx";
import { ContextPane, PoliciesPane, ResourcesPane } from "./views/panes.tsx";
import { ResultPane } from "./views/result_pane.tsx";
import { Toolbar } from "./views/toolbar.tsx";

/** The address of the worker's script, which the build knows. */
declare const WORKER: string;

/** Milliseconds without typing before everything is checked again. */
const pause = 180;

const storageKey = "postern-playground";

const engine = new Engine(WORKER, (answer) => {
  if (answer.kind === "language") {
    const { schemas, functions, operators } = answer;
    learn({ schemas: schemas as Readonly<Record<string, Schema>>, functions, operators });
  } else if (take(answer)) engine.outcome(selected.peek());
});

const panes: readonly { readonly name: PaneName; readonly title: string }[] = [
  { name: "policies", title: "Policies" },
  { name: "resources", title: "Resources" },
  { name: "context", title: "Context" },
  { name: "result", title: "Result" },
];

/** The shares of the panes, for the style sheet. */
function paneStyle(): Readonly<Record<string, string>> {
  const { policies, resources, context } = layout.value;
  return {
    "--policies": `${policies}fr`,
    "--middle": `${resources - policies}fr`,
    "--result": `${100 - resources}fr`,
    "--upper": `${context}fr`,
    "--lower": `${100 - context}fr`,
  };
}

function Page(): JSX.Element {
  return (
    <>
      <Toolbar engine={engine} />
      {tool.value === "policies"
        ? (
          <main class={`bench bench-${pane.value}`} style={paneStyle()}>
            <PoliciesPane />
            <PaneEdge edge="policies" label="Width of the policies" orientation="vertical" />
            <ResourcesPane />
            <PaneEdge edge="context" label="Height of the resources" orientation="horizontal" />
            <ContextPane />
            <PaneEdge edge="resources" label="Width of the result" orientation="vertical" />
            <ResultPane />
          </main>
        )
        : <ExpressionTool key={tool.value} language={tool.value} engine={engine} />}
      {tool.value === "policies" && (
        <nav class="phone-tabs" aria-label="Panes">
          {panes.map(({ name, title }) => (
            <button
              key={name}
              type="button"
              aria-current={pane.value === name ? "true" : undefined}
              onClick={() => pane.value = name}
            >
              {title}
              {name === "result" && refusedCount.value > 0 && <span class="badge">{refusedCount.value}</span>}
            </button>
          ))}
        </nav>
      )}
      <ExamplesDialog />
      <Announcement />
    </>
  );
}

/** Says what happened: aloud for screen readers, and shortly on the screen. */
function Announcement(): JSX.Element {
  return (
    <div role="status">
      <p key={announcement.value} class="announcement" data-shown={announcement.value !== ""}>
        {announcement.value}
      </p>
      <p class="unseen">{spokenResult.value}</p>
    </div>
  );
}

async function begin(): Promise<void> {
  const example = await linkedExample();
  const linked = await stateOf(location.hash);
  if (example !== undefined) openExample(example);
  else load(linked ?? kept() ?? welcome(), linked === undefined ? undefined : "From a link");
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFirst = true;
  effect(() => {
    const state = playgroundState.value;
    const run = (): void => {
      checkedState.value = state;
      engine.run(state.texts, { dialect: state.dialect });
    };
    clearTimeout(timer);
    if (isFirst) run();
    else timer = setTimeout(run, pause);
    isFirst = false;
    keep();
  });
  effect(() => {
    const index = selected.value;
    if (index !== outcomeIndex.peek() && inputCount.peek() > index) engine.outcome(index);
  });
  engine.language();
}

/** The example that the address names. */
async function linkedExample(): Promise<Example | undefined> {
  const [, id] = /^#e=(.+)$/.exec(location.hash) ?? [];
  return id === undefined ? undefined : (await examples()).find((each) => each.id === id);
}

/** The state of the last visit. */
function kept(): ReturnType<typeof readState> {
  try {
    const text = localStorage.getItem(storageKey);
    const state = text === null ? undefined : readState(JSON.parse(text));
    return state !== undefined && Object.values(state.texts).some((each) => each.trim() !== "")
      ? state
      : undefined;
  } catch {
    return undefined;
  }
}

/** Longest state that is kept for the next visit. */
const longestKept = 1_000_000;

function keep(): void {
  const text = JSON.stringify({ ...texts.peek(), dialect: dialect.peek() });
  try {
    if (text.length <= longestKept) localStorage.setItem(storageKey, text);
  } catch {
    // Without storage the next visit begins with the first example.
  }
}

/** The example that the build puts into the page. */
function welcome(): NonNullable<ReturnType<typeof readState>> {
  const text = document.getElementById("welcome")?.textContent ?? "{}";
  return readState(JSON.parse(text))!;
}

addEventListener("hashchange", async () => {
  const example = await linkedExample();
  if (example !== undefined) return openExample(example);
  const linked = await stateOf(location.hash);
  if (linked !== undefined && location.hash !== await fragmentOf(playgroundState.value)) {
    load(linked, "From a link");
  }
});

effect(() => {
  // For tests and for those who measure: when a result is on the page, and of which example.
  const isDone = !isRunning.value && (outcome.value !== undefined || diagnostics.value.length > 0);
  const { dataset } = document.documentElement;
  dataset["state"] = isDone && isCurrent.value ? "done" : "running";
  dataset["example"] = exampleId.value ?? "";
  if (isDone && performance.getEntriesByName("first-result").length === 0) performance.mark("first-result");
});

const root = document.getElementById("playground")!;
root.replaceChildren();
render(<Page />, root);
await begin();
if (location.protocol !== "file:") {
  await navigator.serviceWorker?.register("service_worker.js").catch(() => undefined);
}
