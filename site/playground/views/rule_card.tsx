/** What one rule says, and the way that led there. */
import type { ComponentChildren, JSX } from "preact";
import type { FailedValue, RuleReport } from "../../../lib/simulation/mod.ts";
import { goToPosition } from "./editor_pane.tsx";
import { OutcomeMark, pathText, Value } from "./values.tsx";

type Step = RuleReport["steps"][number];
type StepOf<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>;

/** A rule as a card; those that fail or cannot be evaluated are open. */
export function RuleCard({ rule }: { readonly rule: RuleReport }): JSX.Element {
  const { policy, rule: name, outcome, position, type, body, generatedFrom } = rule;
  const isOpen = outcome === "fail" || outcome === "error" || rule.changes.length > 0;
  return (
    <details class={`card card-${outcome.replace(" ", "-")}`} open={isOpen} data-rule={`${policy}/${name}`}>
      <summary>
        <OutcomeMark outcome={outcome} />
        <span class="card-name">
          <span class="card-policy">{policy}</span>
          {name !== "" && <span class="card-rule">{name}</span>}
        </span>
        <span class="card-kind">
          {type === body ? type : `${type} · ${body}`}
          {generatedFrom !== undefined && " · for controllers"}
        </span>
      </summary>
      <Way rule={rule} />
      <div class="card-body">
        <Selection rule={rule} />
        {rule.steps.map((step, index) => <StepLine key={index} step={step} />)}
        {rule.violations.map(({ path, value, detail, message }, index) => (
          <Line key={index} label="Assertion" state="bad">
            <code>{path}</code> is <Value value={value} />. {detail}
            {message !== "" && <span class="aside">{message}</span>}
          </Line>
        ))}
        {rule.changes.map((change, index) => (
          <Line key={index} label="Change" state="good">
            {change.op} <code>{change.path}</code> {"value" in change && <Value value={change.value} />}
          </Line>
        ))}
        {rule.attempts > 1 && (
          <Line label="Look-ups">evaluated {rule.attempts} times, as values had to be looked up</Line>
        )}
        {rule.results.map(({ result, message, action, exceptions }, index) =>
          message === "" && exceptions === undefined
            ? null
            : (
              <p key={index} class={`message message-${result}`}>
                {message.trimEnd() || `${result}: ${exceptions?.join(", ")}`}
                {result === "fail" && action !== undefined && <span class="aside">{action}</span>}
              </p>
            )
        )}
        {position !== undefined && (
          <button
            type="button"
            class="link"
            onClick={() => goToPosition("policies", position.line, position.column)}
          >
            Show the rule at line {position.line}
          </button>
        )}
      </div>
    </details>
  );
}

/** A station on the way through a rule. */
interface Station {
  readonly title: string;
  readonly state: "good" | "bad" | "stop" | "open";
}

/** The way of a request through a rule: where it came to an end. */
function Way({ rule }: { readonly rule: RuleReport }): JSX.Element | null {
  const stations = stationsOf(rule);
  if (stations.length < 2) return null;
  const words = { good: "passed", bad: "failed", stop: "ended here", open: "not reached" };
  return (
    <ol class="way" aria-label="The way through the rule">
      {stations.map(({ title, state }) => (
        <li key={title} class={`way-${state}`}>
          {title}
          <span class="unseen">: {words[state]}</span>
        </li>
      ))}
    </ol>
  );
}

function stationsOf({ selection, steps, outcome, body, passedOverBy }: RuleReport): Station[] {
  const isSelected = passedOverBy === undefined && (selection?.selection.selected ?? steps.length > 0);
  const kinds = new Set(steps.map(({ kind }) => kind));
  const ends = outcome === "skip" ? "stop" : outcome === "pass" ? "good" : "bad";
  const hasConditions = steps.some((step) => step.kind === "condition" && step.owner === "preconditions");
  const isStopped = outcome === "skip" && hasConditions;
  const middle: Station[] = [
    ...(kinds.has("entry") ? [{ title: "Context", state: isSelected ? "good" : "open" } as const] : []),
    ...(hasConditions ? [{ title: "Preconditions", state: isStopped ? "stop" : "good" } as const] : []),
    ...(kinds.has("exception") ? [{ title: "Exceptions", state: "good" } as const] : []),
  ];
  return [
    { title: "Match", state: isSelected ? "good" : "stop" },
    ...middle,
    { title: bodyTitles[body] ?? body, state: !isSelected || isStopped ? "open" : ends },
  ];
}

const bodyTitles: Readonly<Record<string, string>> = {
  pattern: "Pattern",
  anyPattern: "Patterns",
  deny: "Deny conditions",
  foreach: "Each element",
  podSecurity: "Pod security",
  cel: "CEL",
  assert: "Assertions",
  patchStrategicMerge: "Patch",
  patchesJson6902: "JSON patch",
  generate: "Generate",
};

function Line(
  { label, state = "plain", children }: {
    readonly label: string;
    readonly state?: "good" | "bad" | "plain";
    readonly children: ComponentChildren;
  },
): JSX.Element {
  return (
    <div class={`line line-${state}`}>
      <span class="line-label">{label}</span>
      <div class="line-text">{children}</div>
    </div>
  );
}

function Selection({ rule: { selection, passedOverBy } }: { readonly rule: RuleReport }): JSX.Element | null {
  if (passedOverBy !== undefined) return <Line label="Match">{passedOverWords[passedOverBy]}</Line>;
  if (selection === undefined) return null;
  const { match, exclude, selection: verdict } = selection;
  const isMatched = verdict.selected || verdict.by === "exclude";
  const shown = isMatched ? [...match.filter(({ holds }) => holds), ...exclude] : match;
  if (!verdict.selected && verdict.by === "autogen") {
    return <Line label="Match">This rule is only for {selection.generatedFor?.join(", ")}</Line>;
  }
  return (
    <>
      {shown.map(({ path, holds, criterion, wanted, found }) => (
        <Line
          key={path}
          label={path}
          state={holds ? path.startsWith("exclude") ? "bad" : "good" : "plain"}
        >
          {holds
            ? path.startsWith("exclude")
              ? (
                <>
                  holds, so the rule is not applied: <Value value={wanted} />
                </>
              )
              : "holds"
            : criterion === "empty filter"
            ? "has no criterion"
            : (
              <>
                {criterion} wants <Value value={wanted} />, found <Value value={found} />
              </>
            )}
        </Line>
      ))}
    </>
  );
}

const passedOverWords: Readonly<Record<NonNullable<RuleReport["passedOverBy"]>, string>> = {
  namespace: "The policy is about another namespace",
  matchConditions: "The policy's match conditions do not hold",
  applyRules: "An earlier rule was applied, and the policy applies one",
};

const ownerWords: Readonly<Record<StepOf<"condition">["owner"], string>> = {
  preconditions: "Precondition",
  deny: "Deny condition",
  foreach: "Precondition of the element",
  exception: "Condition of the exception",
  attestation: "Condition of the attestation",
};

function isFailure(value: unknown): value is FailedValue {
  return typeof value === "object" && value !== null && "failure" in value;
}

function StepLine({ step }: { readonly step: Step }): JSX.Element {
  switch (step.kind) {
    case "entry": {
      const { name, source, state, failure, loads } = step.entry;
      const from = loads.map(({ key }) => key).join(", ");
      return (
        <Line label="Context" state={state === "read" ? "good" : state === "failed" ? "bad" : "plain"}>
          <code>{name}</code> {source === "value" ? "" : `from ${source} ${from}`} {state === "absent"
            ? "was not looked up: describe the cluster or give a value in the context"
            : failure ?? "was read"}
        </Line>
      );
    }
    case "condition":
      return <ConditionLine step={step} />;
    case "expression": {
      const { expression, value } = step.expression;
      return (
        <Line label="Expression" state={isFailure(value) || value === false ? "bad" : "good"}>
          <code>{expression.trim()}</code> {isFailure(value) ? `failed: ${value.failure}` : (
            <>
              is <Value value={value} />
            </>
          )}
        </Line>
      );
    }
    case "element": {
      const { list, index, element } = step.element;
      return (
        <Line label={`Element ${index}`}>
          of <code>{list}</code>: <Value value={element} />
        </Line>
      );
    }
    case "pattern":
      return <PatternLine step={step} />;
    case "attestor": {
      const { image, path, failure } = step.attestor;
      return (
        <Line label="Signature" state={failure === "" ? "good" : "bad"}>
          <code>{path.slice(1)}</code> for {image}: {failure === "" ? "verified" : failure}
        </Line>
      );
    }
    case "exception": {
      const { key, verdict, reason } = step.exception;
      return (
        <Line label="Exception">
          <code>{key}</code> {verdict}
          {reason === "" ? "" : ` (${reason})`}
        </Line>
      );
    }
    case "existing":
      return (
        <Line label="Existing">The old object is checked as well: violations that it had are not new</Line>
      );
  }
}

function ConditionLine({ step: { owner, condition } }: { readonly step: StepOf<"condition"> }): JSX.Element {
  const { path, operator, key, value, unresolved = [], result } = condition;
  const isBad = isFailure(result) || (owner === "deny" ? result === true : result === false);
  return (
    <Line label={`${ownerWords[owner]} ${pathText(path)}`} state={isBad ? "bad" : "good"}>
      <Value value={key} /> <b>{operator}</b> <Value value={value} />{" "}
      {isFailure(result) ? `failed: ${result.failure}` : result === true ? "holds" : "does not hold"}
      {unresolved.map((reason) => <span key={reason} class="aside">empty, as {reason}</span>)}
    </Line>
  );
}

function PatternLine({ step: { pattern } }: { readonly step: StepOf<"pattern"> }): JSX.Element {
  const { status, alternative, message, steps, expected, actual, element } = pattern;
  const label = alternative === undefined ? "Pattern" : `Pattern ${alternative}`;
  if (status === "pass") return <Line label={label} state="good">agrees</Line>;
  if (status === "skip") return <Line label={label}>does not apply: {message}</Line>;
  return (
    <Line label={label} state="bad">
      fails at <code class="failing-path">{pathText(steps) || "the object"}</code>
      {element !== undefined && ` of "${element}"`}
      <dl class="compare">
        <dt>expected</dt>
        <dd>
          <Value value={expected} />
        </dd>
        <dt>found</dt>
        <dd>
          <Value value={actual} />
        </dd>
      </dl>
    </Line>
  );
}
