import { type Diagnostic, type PathDiagnostic, withPosition } from "../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTexts,
  type DocumentPath,
  field,
  isObject,
  type Json,
  type JsonObject,
  textField,
  valueAtPath,
} from "../json/mod.ts";
import { parseKindSelectors } from "../kube/mod.ts";
import {
  type ClassicPolicy,
  controllersAnnotation,
  type MatchFilter,
  type Rule,
  ruleFilters,
} from "../policy/mod.ts";

/** A rule as its author wrote it, with its parsed form. */
interface WrittenRule {
  readonly written: JsonObject;
  readonly path: DocumentPath;
  readonly parsed: Rule;
}

type Note = (rule: WrittenRule, policy: ClassicPolicy) => readonly PathDiagnostic[];

const notes: readonly Note[] = [patchedPods, leftOutControllers, missedSubresources, predicateTypes];

/**
 * Notes for the author of a ClusterPolicy or Policy: it can be used as it is written, and may do less than was meant.
 * Kyverno parity: the texts are those of its warnings; pinned by "a policy that Kyverno accepts with a warning".
 */
export function authorNotes(policy: ClassicPolicy): Diagnostic[] {
  const { document, locate, name } = policy;
  const rules = policy.rules.filter(({ generatedFor }) => generatedFor === undefined).flatMap(
    (parsed): WrittenRule[] => {
      const written = valueAtPath(document, parsed.path);
      return isObject(written) ? [{ written, path: parsed.path, parsed }] : [];
    },
  );
  const found = [
    ...earlyActions(document["spec"], rules),
    ...rules.flatMap((rule) =>
      notes.flatMap((note) => note(rule, policy)).map((each) => ({ ...each, rule: rule.parsed.name }))
    ),
  ];
  return found.map((each) => ({ ...withPosition(each, locate), policy: name }));
}

/**
 * A note about `enforce` and `audit`, the lower-case actions of Kyverno's first versions. A policy that writes them
 * does so everywhere, so only the first is named. In `validate.failureAction` they are refused.
 */
function earlyActions(spec: Json | undefined, rules: readonly WrittenRule[]): PathDiagnostic[] {
  const name = "validationFailureAction";
  const overrides = [
    { list: field(spec, `${name}Overrides`), path: ["spec", `${name}Overrides`] },
    ...rules.map(({ written, path }) => ({
      list: field(written["validate"], "failureActionOverrides"),
      path: [...path, "validate", "failureActionOverrides"],
    })),
  ];
  const paths = [
    ...(isEarly(field(spec, name)) ? [["spec", name]] : []),
    ...overrides.flatMap(({ list, path }) =>
      asList(list).flatMap((each, index) =>
        isEarly(field(each, "action")) ? [[...path, index, "action"]] : []
      )
    ),
  ];
  return paths.slice(0, 1).map((path) => ({
    severity: "info",
    code: "early-action",
    message: "Validation failure actions enforce/audit are deprecated, use Enforce/Audit instead.",
    path,
  }));
}

function isEarly(action: Json | undefined): boolean {
  return action === "enforce" || action === "audit";
}

/** A controller makes Pods anew from its template, which the patch does not change. */
function patchedPods({ written, path }: WrittenRule): PathDiagnostic[] {
  const kinds = asTexts(field(field(written["match"], "resources"), "kinds"));
  const patch = asString(field(written["mutate"], "patchesJson6902")) ?? "";
  if (!kinds.includes("Pod") || patch === "") return [];
  return [{
    severity: "info",
    code: "patched-pods",
    message: "Pods managed by workload controllers should not be directly mutated using policies. " +
      "Use the autogen feature or write policies that match Pod controllers.",
    path: [...path, "mutate", "patchesJson6902"],
  }];
}

/** The pod controllers of autogen, as Kyverno sorts them. */
const everyController = "cronjob,daemonset,deployment,job,statefulset";

function leftOutControllers(
  { path, parsed }: WrittenRule,
  { annotations }: ClassicPolicy,
): PathDiagnostic[] {
  const wanted = annotations[controllersAnnotation];
  if (wanted === undefined || wanted === "none") return [];
  if (wanted.toLowerCase().split(",").sort().join(",") === everyController) return [];
  const kinds = kindsOf(parsed.match.filters).flatMap(parseKindSelectors);
  if (kinds.length === 0 || kinds.some(({ kind }) => kind !== "Pod")) return [];
  return [{
    severity: "info",
    code: "left-out-controllers",
    message:
      "Policies that match Pods apply to all Pods including those created and managed by controllers " +
      "excluded from autogen. Use preconditions to exclude the Pods managed by controllers which are " +
      "excluded from autogen. Refer to https://kyverno.io/docs/policy-types/cluster-policy/autogen/ for details.",
    path: [...path, "match"],
  }];
}

/** Fields that requests for a subresource change too, with the text that shows that a rule reads them. */
const subresourceFields = [
  { subresource: "scale", name: "replicas", isRead: (text: string) => text.includes("replicas") },
  { subresource: "status", name: "status", isRead: (text: string) => /\.status|"status":/.test(text) },
];

/** `kubectl scale` changes replicas through a subresource: a rule that does not match it has no say. */
function missedSubresources({ written, path, parsed }: WrittenRule): PathDiagnostic[] {
  const texts = readTexts(written);
  const targets = asList(field(written["mutate"], "targets")).map((target) => textField(target, "kind"));
  const kinds = [...kindsOf(ruleFilters(parsed)), ...targets];
  return subresourceFields.filter(({ subresource, isRead }) =>
    texts.some(isRead) && !kinds.some((kind) => kind.toLowerCase().includes(subresource))
  ).map(({ subresource, name }) => ({
    severity: "info",
    code: "missed-subresource",
    message: `You are matching on ${name} but not including the ${subresource} subresource in the policy.`,
    path: [...path, "match"],
  }));
}

/** The bodies of a rule as JSON, without the conditions of a denial, which Kyverno does not look at. */
function readTexts(written: JsonObject): string[] {
  const images = asList(written["verifyImages"]).map((entry) => field(entry, "validate"));
  const validations = [written["validate"], ...images].map(asObject).filter((each) => each !== undefined);
  const bodies = [...validations.map(({ deny: _deny, ...others }) => others), asObject(written["mutate"])];
  return bodies.filter((body) => body !== undefined).map((body) => JSON.stringify(body));
}

function predicateTypes({ written, path }: WrittenRule): PathDiagnostic[] {
  return asList(written["verifyImages"]).flatMap((entry, image) =>
    asList(field(entry, "attestations")).flatMap((attestation, index): PathDiagnostic[] => {
      const type = textField(attestation, "predicateType");
      if (type === "") return [];
      const message =
        `predicateType has been deprecated use 'type: ${type}' instead of 'predicateType: ${type}'`;
      const at = [...path, "verifyImages", image, "attestations", index, "predicateType"];
      return [{ severity: "info", code: "deprecated-field", message, path: at }];
    })
  );
}

function kindsOf(filters: readonly MatchFilter[]): string[] {
  return filters.flatMap(({ resources }) => resources.kinds);
}
