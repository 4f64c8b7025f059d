/** The state of the page: texts, diagnostics, results, and the selected ones. */
import { batch, computed, signal } from "@preact/signals";
import type { Diagnostic } from "../../../lib/diagnostics/mod.ts";
import type { InputOutcome, InputSummary, SimulationTexts, TextName } from "../../../lib/simulation/mod.ts";
import type { Answer, FailurePosition, OutcomeYaml } from "../worker/protocol.ts";

/** Which rules for spelling and missing values hold. */
export type DialectName = "classic" | "current";

/** The texts of a simulation: all that a link and a download carry. */
export interface PlaygroundState {
  readonly texts: SimulationTexts;
  readonly dialect: DialectName;
}

/** The name of a pane of the page. */
export type PaneName = "policies" | "resources" | "context" | "result";

/** The tools of the page. */
export type ToolName = "policies" | "jmespath" | "cel";

export const emptyTexts: SimulationTexts = {
  policies: "",
  resources: "",
  cluster: "",
  exceptions: "",
  values: "",
  user: "",
  answers: "",
};

export const texts = signal<SimulationTexts>(emptyTexts);
export const dialect = signal<DialectName>("classic");
export const tool = signal<ToolName>("policies");
/** The pane that a narrow screen shows. */
export const pane = signal<PaneName>("policies");
/** The text of the context that is edited. */
export const contextText = signal<TextName>("cluster");
/** The title of the example that is loaded, until something is changed. */
export const exampleTitle = signal<string | undefined>(undefined);

/** Its name, which the address has. */
export const exampleId = signal<string | undefined>(undefined);
/** The state that the engine checks now or checked last. */
export const checkedState = signal<PlaygroundState | undefined>(undefined);
/** The state that the shown outcome belongs to. */
const shownState = signal<PlaygroundState | undefined>(undefined);

export const diagnostics = signal<readonly Diagnostic[]>([]);
export const policyCount = signal(0);
export const inputCount = signal(0);
export const summaries = signal<readonly InputSummary[]>([]);
export const isRunning = signal(true);
export const runMilliseconds = signal(0);
export const selected = signal(0);
export const outcome = signal<InputOutcome | undefined>(undefined);
export const outcomeIndex = signal(-1);
export const outcomeYaml = signal<OutcomeYaml | undefined>(undefined);
export const failures = signal<readonly FailurePosition[]>([]);
/** The last action, shown for some seconds and read aloud. */
export const announcement = signal("");
/** The result in one sentence, for people who do not see it. */
export const spokenResult = signal("");

/** All that a link carries. */
export const playgroundState = computed((): PlaygroundState => ({
  texts: texts.value,
  dialect: dialect.value,
}));

/** Whether what is shown is about the texts as they are now. */
export const isCurrent = computed(() => shownState.value === playgroundState.value);

/** The number of inputs that are refused. */
export const refusedCount = computed(() => summaries.value.filter(({ allowed }) => !allowed).length);

/** Changes one text. */
export function setText(name: TextName, text: string): void {
  if (texts.value[name] !== text) texts.value = { ...texts.value, [name]: text };
}

/** Replaces everything that is simulated. */
export function load(state: PlaygroundState, title?: string, id?: string): void {
  batch(() => {
    texts.value = { ...emptyTexts, ...state.texts };
    dialect.value = state.dialect;
    exampleTitle.value = title;
    exampleId.value = id;
    selected.value = 0;
    outcome.value = undefined;
    outcomeIndex.value = -1;
    isRunning.value = true;
    diagnostics.value = [];
    summaries.value = [];
    inputCount.value = 0;
  });
}

/** Takes in an answer of the engine. Returns whether the outcome of the selected input should be loaded. */
export function take(answer: Answer): boolean {
  switch (answer.kind) {
    case "loaded":
      batch(() => {
        shownState.value = answer.inputCount === 0 ? checkedState.value : undefined;
        diagnostics.value = answer.diagnostics;
        policyCount.value = answer.policyCount;
        inputCount.value = answer.inputCount;
        summaries.value = [];
        isRunning.value = answer.inputCount > 0;
        runMilliseconds.value = answer.milliseconds;
        if (selected.value >= answer.inputCount) selected.value = 0;
        if (answer.inputCount === 0) {
          outcome.value = undefined;
          outcomeIndex.value = -1;
          failures.value = [];
        }
      });
      return answer.inputCount > 0;
    case "summaries":
      batch(() => {
        summaries.value = [...summaries.value, ...answer.summaries];
        runMilliseconds.value = answer.milliseconds;
        isRunning.value = !answer.isLast;
        if (answer.isLast) spokenResult.value = summaryText();
      });
      return false;
    case "outcome":
      batch(() => {
        shownState.value = checkedState.value;
        outcome.value = answer.outcome;
        outcomeIndex.value = answer.index;
        failures.value = answer.failures;
        outcomeYaml.value = answer.yaml;
      });
      return false;
    default:
      return false;
  }
}

/** Whether there is text for policies, but none that can be read as one: nothing is decided then. */
export const isUndecided = computed(() =>
  policyCount.value === 0 &&
  diagnostics.value.some(({ severity, position }) => severity === "error" && position?.file === "policies")
);

/** The result in one sentence. */
export function summaryText(): string {
  if (isUndecided.value) return "Nothing is decided: the policies cannot be read";
  const all = summaries.value.length;
  if (all === 0) return "There is nothing to check yet";
  const refused = refusedCount.value;
  const objects = `${all} ${all === 1 ? "object" : "objects"}`;
  if (refused === 0) return `${objects}: ${all === 1 ? "admitted" : "all admitted"}`;
  return `${objects}: ${refused} refused, ${all - refused} admitted`;
}
