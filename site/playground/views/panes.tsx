/** The three panes in which people write. */
import type { JSX } from "preact";
import type { TextName } from "../../../lib/simulation/mod.ts";
import { contextText, diagnostics, inputCount, pane, policyCount, texts } from "../state/store.ts";
import { EditorPane } from "./editor_pane.tsx";
import { TabList, TabPanel } from "./tabs.tsx";

/** The policies. */
export function PoliciesPane(): JSX.Element {
  return (
    <section
      class={`pane pane-policies ${pane.value === "policies" ? "pane-shown" : ""}`}
      aria-label="Policies"
    >
      <header class="pane-head">
        <h2>Policies</h2>
        <span class="pane-note">{countText(policyCount.value, "policy", "policies")}</span>
        <Problems name="policies" />
      </header>
      <EditorPane
        name="policies"
        label="Policies, YAML"
        hint="Policies in YAML. Ctrl+Space suggests what can be written."
      />
    </section>
  );
}

/** The objects, or reviews of them. */
export function ResourcesPane(): JSX.Element {
  return (
    <section
      class={`pane pane-resources ${pane.value === "resources" ? "pane-shown" : ""}`}
      aria-label="Resources"
    >
      <header class="pane-head">
        <h2>Resources</h2>
        <span class="pane-note">{countText(inputCount.value, "object", "objects")}</span>
        <Problems name="resources" />
      </header>
      <EditorPane
        name="resources"
        label="Resources, YAML"
        hint="Objects as you give them to kubectl, an AdmissionReview, or any JSON."
      />
    </section>
  );
}

/** The texts of the context, with what is said of them in an empty editor. */
const contextTexts: readonly { readonly name: TextName; readonly title: string; readonly hint: string }[] = [
  {
    name: "cluster",
    title: "Cluster",
    hint: "Objects that are in the cluster: ConfigMaps, Namespaces, roles … Policies look them up here.",
  },
  {
    name: "user",
    title: "User",
    hint: "kind: UserInfo\nuserInfo:\n  username: ann\n  groups: [developers]\nclusterRoles: [view]",
  },
  {
    name: "values",
    title: "Values",
    hint:
      "kind: Values\nglobalValues:\n  request.operation: UPDATE\npolicies:\n  - name: my-policy\n    rules:\n      - name: my-rule\n        values: {limits.data.most: 5}",
  },
  { name: "exceptions", title: "Exceptions", hint: "PolicyExceptions in YAML." },
  {
    name: "answers",
    title: "Answers",
    hint:
      "apiCallResponses:\n  - url: https://teams.example/v1\n    response: {statusCode: 200, body: {teams: [a, b]}}\nglobalContextEntries: []\nimages: []",
  },
];

/** What stands around the request: the cluster, the user, values, exceptions, answers of services. */
export function ContextPane(): JSX.Element {
  const { name, title, hint } = contextTexts.find((each) => each.name === contextText.value) ??
    contextTexts[0]!;
  return (
    <section class={`pane pane-context ${pane.value === "context" ? "pane-shown" : ""}`} aria-label="Context">
      <header class="pane-head">
        <h2>Context</h2>
        <TabList
          label="Parts of the context"
          id="context"
          class="tabs-small"
          tabs={contextTexts.map((each) => ({
            name: each.name,
            title: each.title,
            note: texts.value[each.name].trim() === "" ? undefined : "●",
          }))}
          selected={name}
          onSelect={(chosen) =>
            contextText.value = chosen}
        />
        <Problems name={name} />
      </header>
      <TabPanel id="context" selected={name} class="context-panel">
        <EditorPane key={name} name={name} label={`${title}, YAML`} hint={hint} />
      </TabPanel>
    </section>
  );
}

function Problems({ name }: { readonly name: TextName }): JSX.Element | null {
  const errors =
    diagnostics.value.filter(({ severity, position }) =>
      severity === "error" && (position?.file ?? "policies") === name
    ).length;
  return errors === 0 ? null : <span class="pane-problems">{countText(errors, "error", "errors")}</span>;
}

function countText(count: number, one: string, several: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : several}`;
}
