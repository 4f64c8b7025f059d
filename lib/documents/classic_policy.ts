import { type Diagnostic, didYouMean, type Locate, replacing, withPosition } from "../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTexts,
  dig,
  type DocumentPath,
  field,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { annotationsOf, nameOf, namespaceOf } from "../kube/mod.ts";
import { parseContext } from "../context/mod.ts";
import {
  type ActionOverride,
  type ClassicPolicy,
  type FailureAction,
  failureActionOfImages,
  isTooHeavy,
  parseMatch,
  policyKey,
  type Rule,
  tooHeavy,
  weightOf,
} from "../policy/mod.ts";
import { bodiesOf, parseBody, type RuleBody } from "../rules/mod.ts";
import { checkShape } from "../shape/mod.ts";
import { autogenRules, type RuleSource } from "./autogen.ts";
import { maxRules, representativeRules } from "./too_many_rules.ts";
import { ruleMistakes } from "./rule_mistakes.ts";
import { policySpecShape } from "./spec_shape.ts";
import { modernSpec } from "./spelling.ts";
import { writtenRules } from "./written_rules.ts";

/** A parsed policy with its problems. */
export interface ParsedPolicy {
  readonly policy: ClassicPolicy<RuleBody>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Parses a ClusterPolicy or Policy of kyverno.io (v1, v2beta1). A policy with problems is returned as far as it can
 * be parsed: its match decides which requests its failurePolicy answers.
 */
export function parsePolicy(document: JsonObject, locate: Locate): ParsedPolicy {
  const parser = new PolicyParser(locate);
  return { policy: parser.parse(document), diagnostics: parser.diagnostics };
}

class PolicyParser {
  readonly diagnostics: Diagnostic[] = [];
  readonly #locate: Locate;

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  parse(document: JsonObject): ClassicPolicy<RuleBody> {
    const locate = this.#locate;
    const kind = field(document, "kind") === "Policy" ? "Policy" : "ClusterPolicy";
    const name = nameOf(document);
    const namespace = kind === "Policy" ? namespaceOf(document) || "default" : undefined;
    if (name === "") {
      this.#report({ code: "missing-name", message: "A policy needs metadata.name" }, ["metadata"]);
    }

    const spec = this.#spec(asObject(field(document, "spec")));
    const sources = writtenRules(spec);
    const failurePolicy = this.#choice(spec["failurePolicy"], ["Fail", "Ignore"], {
      fallback: "Fail",
      path: ["spec", "failurePolicy"],
    });
    const webhookPath = ["spec", "webhookConfiguration", "failurePolicy"];
    const annotations = annotationsOf(document);
    const timeout = dig(spec, "webhookConfiguration", "timeoutSeconds") ?? spec["webhookTimeoutSeconds"];
    const policy: ClassicPolicy<RuleBody> = {
      language: "classic",
      kind,
      name,
      namespace,
      key: keyOf(kind, document),
      annotations,
      failurePolicy: this.#choice(dig(spec, "webhookConfiguration", "failurePolicy"), ["Fail", "Ignore"], {
        fallback: failurePolicy,
        path: webhookPath,
      }),
      failureAction: this.#action(spec["validationFailureAction"], ["spec", "validationFailureAction"]) ??
        "Audit",
      overrides: this.#overrides(spec["validationFailureActionOverrides"], [
        "spec",
        "validationFailureActionOverrides",
      ]),
      admission: spec["admission"] !== false,
      background: spec["background"] !== false,
      emitWarning: spec["emitWarning"] === true,
      applyRules: this.#choice(spec["applyRules"], ["All", "One"], {
        fallback: "All",
        path: ["spec", "applyRules"],
      }),
      timeoutSeconds: typeof timeout === "number" ? timeout : undefined,
      matchConditions: asList(dig(spec, "webhookConfiguration", "matchConditions")).filter(isObject),
      generateExisting: spec["generateExisting"] === true || spec["generateExistingOnPolicyUpdate"] === true,
      mutateExistingOnPolicyUpdate: spec["mutateExistingOnPolicyUpdate"] === true,
      useServerSideApply: spec["useServerSideApply"] === true,
      rules: [...sources, ...autogenRules(sources, annotations)].map((source) => this.#readRule(source)),
      locate,
      document,
    };
    this.#checkRules(sources);
    return policy;
  }

  /**
   * Replaces the rules of a policy that has too many, or whose spec is too heavy: compiling it would exhaust the
   * process. Such a policy is broken, and its failurePolicy answers the requests that its rules match.
   */
  #bounded(spec: JsonObject): JsonObject {
    const rules = asList(spec["rules"]);
    if (rules.length > maxRules) {
      const message = `spec.rules has ${rules.length} rules; a policy may have ${maxRules}`;
      this.#report({ code: "too-many-rules", message, hint: "split the policy" }, ["spec", "rules"]);
    } else if (isTooHeavy(spec)) {
      this.#report({ code: "too-large", message: tooHeavy, hint: "split the policy" }, ["spec"]);
    } else return spec;
    const settings = Object.entries(spec).filter(([name]) => settingsOfBroken.has(name));
    const light = settings.filter(([, value]) => weightOf(value) < lightSetting);
    return { ...Object.fromEntries(light), rules: representativeRules(rules) };
  }

  /** The spec in the current spelling. */
  #spec(raw: JsonObject | undefined): JsonObject {
    if (raw === undefined) {
      this.#report({ code: "missing-spec", message: "A policy needs a spec with rules" }, []);
    }
    const locate = this.#locate;
    const { spec, diagnostics } = modernSpec(this.#bounded(raw ?? {}), locate);
    this.diagnostics.push(
      ...diagnostics,
      ...checkShape(spec, policySpecShape, { path: ["spec"], locate, stored: true }),
    );
    if (raw !== undefined && writtenRules(spec).length === 0) {
      const message = "spec.rules is empty: the policy does nothing";
      this.#report({ severity: "warning", code: "no-rules", message }, ["spec"]);
    }
    return spec;
  }

  #readRule({ rule, path, generatedFor }: RuleSource): Rule<RuleBody> {
    const validate = asObject(rule["validate"]);
    const ruleAction = validate && Object.hasOwn(validate, "failureAction")
      ? this.#action(validate["failureAction"], [...path, "validate", "failureAction"])
      : undefined;
    const ofImages = validate === undefined ? failureActionOfImages(asList(rule["verifyImages"])) : undefined;
    return {
      name: asString(rule["name"]) ?? "",
      path,
      match: parseMatch(asObject(rule["match"]) ?? {}),
      exclude: isObject(rule["exclude"]) ? parseMatch(rule["exclude"]) : undefined,
      context: parseContext(rule["context"]),
      preconditions: rule["preconditions"],
      celPreconditions: asList(rule["celPreconditions"]).filter(isObject),
      imageExtractors: asObject(rule["imageExtractors"]),
      skipBackgroundRequests: rule["skipBackgroundRequests"] !== false,
      reportProperties: asObject(rule["reportProperties"]),
      ...parseBody(rule),
      failureAction: ruleAction ?? ofImages,
      // The action of a verifyImages entry counts before the policy's overrides for a namespace.
      overrides: ofImages === undefined
        ? this.#overrides(validate?.["failureActionOverrides"], [
          ...path,
          "validate",
          "failureActionOverrides",
        ])
        : [{ action: ofImages, namespaces: [], namespaceSelector: undefined }],
      allowExistingViolations: validate?.["allowExistingViolations"] !== false,
      generatedFor,
    };
  }

  #checkRules(rules: readonly RuleSource[]): void {
    const seen = new Set<string>();
    for (const { rule, path } of rules) {
      const ruleName = asString(rule["name"]);
      if (ruleName === undefined || ruleName === "") {
        this.#report({ code: "missing-name", message: "A rule needs a name" }, path);
      } else if (seen.has(ruleName)) {
        this.#report({ code: "duplicate-rule", message: `Two rules are named "${ruleName}"` }, [
          ...path,
          "name",
        ]);
      }
      if (ruleName !== undefined) seen.add(ruleName);
      const [runs, ...others] = bodiesOf(rule);
      if (others.length > 0) {
        const message = `Of rule "${ruleName ?? ""}" only ${runs} runs, not ${others.join(", ")}`;
        this.#report(
          { severity: "warning", code: "several-bodies", message, hint: "make a rule of each" },
          path,
        );
      }
      for (const mistake of ruleMistakes(rule)) this.#report(mistake, [...path, ...mistake.path]);
    }
  }

  #action(value: Json | undefined, path: DocumentPath): FailureAction | undefined {
    if (value === undefined || value === null) return undefined;
    const lower = isString(value) ? value.toLowerCase() : "";
    if (lower === "enforce") return "Enforce";
    if (lower === "audit") return "Audit";
    this.#reportChoice(value, ["Enforce", "Audit"], path);
    // An unreadable action must not allow what it was meant to forbid.
    return "Enforce";
  }

  #overrides(value: Json | undefined, path: DocumentPath): ActionOverride[] {
    return asList(value).filter(isObject).map((entry, index) => ({
      action: this.#action(entry["action"], [...path, index, "action"]) ?? "Audit",
      namespaces: asTexts(entry["namespaces"]),
      namespaceSelector: asObject(entry["namespaceSelector"]),
    }));
  }

  #choice<T extends string>(
    value: Json | undefined,
    choices: readonly T[],
    { fallback, path }: { fallback: T; path: DocumentPath },
  ): T {
    if (value === undefined || value === null) return fallback;
    const found = choices.find((name) => name === value);
    if (found === undefined) this.#reportChoice(value, choices, path);
    return found ?? fallback;
  }

  #reportChoice(value: Json, choices: readonly string[], path: DocumentPath): void {
    const written = isString(value) ? value : "";
    const meant = written === "" ? undefined : didYouMean(written, choices);
    const hint = meant === undefined ? `use one of ${choices.join(", ")}` : `did you mean "${meant}"?`;
    const message = `${String(path.at(-1))} cannot be ${JSON.stringify(value)}`;
    this.#report({ code: "unknown-value", message, hint, ...replacing(written, meant) }, path);
  }

  /** Reports a problem; an error unless it has another severity. */
  #report(problem: Omit<Diagnostic, "severity"> & Partial<Diagnostic>, path: DocumentPath): void {
    this.diagnostics.push(withPosition({ severity: "error", ...problem, path }, this.#locate));
  }
}

/** The fields that decide how requests are answered for a policy that is too large to parse. */
const settingsOfBroken: ReadonlySet<string> = new Set([
  "failurePolicy",
  "validationFailureAction",
  "admission",
  "background",
  "webhookTimeoutSeconds",
  "webhookConfiguration",
  "validationFailureActionOverrides",
]);

const lightSetting = 100;

/**
 * Kyverno parity: the key of a Policy whose file names no namespace is its name alone. Pinned by "a Policy without a
 * namespace is in default, and its key is its name".
 */
function keyOf(kind: ClassicPolicy["kind"], document: JsonObject): string {
  return policyKey({
    name: nameOf(document),
    namespace: kind === "Policy" ? namespaceOf(document) : undefined,
  });
}
