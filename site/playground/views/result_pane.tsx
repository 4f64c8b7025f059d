/** What policies say of an object, and why. */
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import type { InputOutcome } from "../../../lib/simulation/mod.ts";
import {
  diagnostics,
  inputCount,
  isRunning,
  isUndecided,
  outcome,
  outcomeYaml,
  policyCount,
  runMilliseconds,
  summaries,
  summaryText,
} from "../state/store.ts";
import { Difference } from "./difference.tsx";
import { DiagnosticList } from "./diagnostic_list.tsx";
import { LookupTimeline } from "./lookup_timeline.tsx";
import { RuleCard } from "./rule_card.tsx";
import { InputList } from "./input_list.tsx";
import { TabList, TabPanel } from "./tabs.tsx";
import { inputText } from "./values.tsx";

type ViewName = "rules" | "changes" | "generated" | "lookups" | "response";

const chosenView = signal<ViewName>("rules");

/** The views that have something to show for an outcome. */
function viewsOf(
  { rules, patch, targets, generated, lookups, response }: InputOutcome,
): { readonly name: ViewName; readonly title: string; readonly note?: string }[] {
  const applied = rules.filter(({ outcome }) => outcome !== "not applied").length;
  const changes = targets.length + (patch.length > 0 ? 1 : 0);
  return [
    { name: "rules", title: "Rules", note: String(applied) },
    ...(changes > 0
      ? [{ name: "changes", title: "Changes", note: String(patch.length + targets.length) } as const]
      : []),
    ...(generated.length > 0
      ? [{ name: "generated", title: "Generated", note: String(generated.length) } as const]
      : []),
    ...(lookups.length > 0
      ? [{ name: "lookups", title: "Look-ups", note: String(lookups.length) } as const]
      : []),
    ...(response === undefined ? [] : [{ name: "response", title: "Response" } as const]),
  ];
}

const headline = computed(() =>
  inputCount.value === 0 && !isUndecided.value
    ? policyCount.value === 0 ? "Write a policy, or open an example" : "Write an object to check"
    : summaryText()
);

/** The result. */
export function ResultPane(): JSX.Element {
  const done = summaries.value.length;
  return (
    <section class="pane pane-result" aria-label="Result" aria-busy={isRunning.value}>
      <header class="pane-head">
        <h2>Result</h2>
        <span class="pane-note" data-testid="headline">
          {isRunning.value && done < inputCount.value
            ? `Checking ${done} of ${inputCount.value} …`
            : headline.value}
        </span>
        <span class="pane-time">{isRunning.value ? "" : `${runMilliseconds.value.toFixed(0)} ms`}</span>
      </header>
      <div class="result" tabIndex={0} role="region" aria-label="Result in detail">
        <DiagnosticList diagnostics={diagnostics.value} />
        {!isUndecided.value && <InputList />}
        {!isUndecided.value && outcome.value !== undefined && <Outcome outcome={outcome.value} />}
      </div>
    </section>
  );
}

function Outcome({ outcome: shown }: { readonly outcome: InputOutcome }): JSX.Element {
  const views = viewsOf(shown);
  const view = views.some(({ name }) => name === chosenView.value) ? chosenView.value : "rules";
  const { allowed, input, inputKind, kubectl } = shown;
  const words = inputKind === "payload"
    ? allowed ? "Holds" : "Does not hold"
    : allowed
    ? "Admitted"
    : "Refused";
  return (
    <article class={`outcome ${allowed ? "outcome-admitted" : "outcome-refused"}`} data-testid="outcome">
      <header class="verdict">
        <span class="verdict-word">{words}</span>
        <span class="verdict-subject">
          {inputText(input)}
          {input.operation !== "" && <span class="aside">{input.operation}</span>}
        </span>
      </header>
      {kubectl !== undefined && (
        <figure class="terminal">
          <figcaption>As kubectl prints it</figcaption>
          <pre tabIndex={0}>{kubectl}</pre>
        </figure>
      )}
      <TabList
        label="About the result"
        id="view"
        tabs={views}
        selected={view}
        onSelect={(name) => chosenView.value = name}
      />
      <TabPanel id="view" selected={view} class="view">
        <View view={view} outcome={shown} />
      </TabPanel>
    </article>
  );
}

function View({ view, outcome }: { readonly view: ViewName; readonly outcome: InputOutcome }): JSX.Element {
  switch (view) {
    case "rules":
      return <Rules outcome={outcome} />;
    case "changes":
      return <Changes outcome={outcome} />;
    case "generated":
      return (
        <>
          {outcomeYaml.value?.generated.map((text, index) => (
            <figure key={index} class="object">
              <figcaption>{titleOf(outcome.generated[index])}</figcaption>
              <pre tabIndex={0}>{text}</pre>
            </figure>
          ))}
        </>
      );
    case "lookups":
      return <LookupTimeline lookups={outcome.lookups} />;
    case "response":
      return (
        <figure class="object">
          <figcaption>The AdmissionReview that answers the API server</figcaption>
          <pre tabIndex={0}>{JSON.stringify(outcome.response, null, 2)}</pre>
          {outcome.patch.length > 0 && outcome.allowed && (
            <>
              <figcaption>Its patch, decoded</figcaption>
              <pre tabIndex={0}>{JSON.stringify(outcome.patch, null, 2)}</pre>
            </>
          )}
        </figure>
      );
  }
}

function Rules({ outcome: { rules } }: { readonly outcome: InputOutcome }): JSX.Element {
  const applied = rules.filter(({ outcome }) => outcome !== "not applied");
  const others = rules.filter(({ outcome, isForOtherController }) =>
    outcome === "not applied" && !isForOtherController
  );
  return (
    <>
      {applied.map((rule, index) => <RuleCard key={`${rule.policy}/${rule.rule}/${index}`} rule={rule} />)}
      {applied.length === 0 && <p class="empty">No rule applies to this object.</p>}
      {others.length > 0 && <h3 class="group">Not applied</h3>}
      {others.map((rule, index) => <RuleCard key={`${rule.policy}/${rule.rule}/${index}`} rule={rule} />)}
    </>
  );
}

function Changes({ outcome }: { readonly outcome: InputOutcome }): JSX.Element | null {
  const yaml = outcomeYaml.value;
  if (yaml === undefined) return null;
  return (
    <>
      {outcome.patch.length > 0 && (
        <Difference before={yaml.object} after={yaml.mutated} label={inputText(outcome.input)} />
      )}
      {outcome.targets.map(({ after }, index) => (
        <figure key={index} class="object">
          <figcaption>{titleOf(after)}, changed by a rule for existing objects</figcaption>
          <Difference {...yaml.targets[index]!} label={titleOf(after)} />
        </figure>
      ))}
    </>
  );
}

function titleOf(object: InputOutcome["generated"][number] | undefined): string {
  const metadata = (object?.["metadata"] ?? {}) as { readonly name?: string; readonly namespace?: string };
  const { name = "", namespace = "" } = metadata;
  return inputText({ kind: String(object?.["kind"] ?? ""), namespace, name });
}
