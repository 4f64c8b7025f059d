import { type Context, inStages } from "../context/mod.ts";
import { choosing } from "../diagnostics/mod.ts";
import { dig, isFault, isString, type JsonObject, textField } from "../json/mod.ts";
import { imageSearchOrder } from "../kube/mod.ts";
import { stopped } from "./loop.ts";
import { error, fail, type Outcome, pass, skip } from "./outcome.ts";
import type { PolicyException } from "../policy/mod.ts";
import {
  compileExclusions,
  compilePodSecurity,
  controls,
  failureMessage,
  type PodSecurityVerdict,
  reportProperties,
} from "./pod_security/mod.ts";
import type { CompiledBody, RuleTools } from "./rule_kind.ts";

/** The Pod must satisfy a level of the Pod Security Standards. */
export interface PodSecurityBody {
  readonly kind: "podSecurity";
  readonly level: string;
  /** The version; empty for the latest. */
  readonly version: string;
  readonly exclude: readonly JsonObject[];
}

/**
 * Compiles a rule of `validate.podSecurity`.
 *
 * Kyverno parity: of its levels only `baseline` leaves controls out, so that in the dialect `current` the level
 * `privileged` and none have those of `restricted`. Pinned by "podSecurity: the level privileged allows all in the
 * dialect classic, and is checked as restricted in the dialect current".
 */
export function compilePodSecurityRule(
  { level, version: written, exclude }: PodSecurityBody,
  tools: RuleTools,
): CompiledBody {
  const isOfNoStandard = level === "" || level === "privileged";
  const checkedAs = isOfNoStandard && tools.dialect === "current" ? "restricted" : level;
  const standard = compilePodSecurity({ level: checkedAs, version: written, exclude }, "kyverno");
  if (isFault(standard)) {
    tools.report({
      severity: "error",
      code: "bad-pod-security",
      message: standard.message,
      path: ["validate", "podSecurity"],
    });
    const broken = error(standard.message);
    return { run: () => broken };
  }
  reportUnknownControls(exclude, tools);
  const rule = tools.rule.name, passed = pass(`Validation rule '${rule}' passed.`);
  const failure = { rule, level, version: standard.version };
  return {
    run({ resource, operation, exceptions, context }) {
      if (operation === "DELETE" || resource === undefined) return undefined;
      const whole = exceptions.find(({ podSecurity }) => podSecurity.length === 0);
      if (whole !== undefined) {
        return { ...skip(`rule is skipped due to policy exception ${whole.key}`), exceptions: [whole.key] };
      }
      const exclusions = exceptions.flatMap(({ podSecurity }) => compileExclusions(podSecurity));
      const checked = inStages(
        context.tracker,
        () => standard.checkInStages(resource, exclusions, context.tracker.steps),
      );
      if ("stopped" in checked) return error(stopped(checked.stopped, "podSecurity"));
      const verdict = checked.value;
      if (isFault(verdict)) return error(`Error while getting new resource: ${verdict.message}`);
      if (verdict.exempted) return exempted(exceptions);
      return verdict.allowed ? passed : violated(verdict, failure, context);
    },
  };
}

function exempted(exceptions: readonly PolicyException[]): Outcome {
  const keys = exceptions.map(({ key }) => key);
  return { ...skip(`rule is skipped due to policy exceptions ${keys.join(", ")}`), exceptions: keys };
}

/** The outcome for a Pod that violates controls, with their properties for reports. */
function violated(
  { violations, isLarge }: Pick<PodSecurityVerdict, "violations" | "isLarge">,
  failure: { readonly rule: string; readonly level: string; readonly version: string },
  context: Context,
): Outcome {
  const { level, version } = failure;
  const imageOf = isLarge ? () => undefined : imageReader(context);
  const properties = reportProperties({ level, version, violations, imageOf });
  return { ...fail(failureMessage({ ...failure, violations })), properties };
}

/** The names of the controls that rules and exceptions exclude. */
export const controlNames: readonly string[] = [...new Set(controls.flatMap(({ name }) => name ?? []))];

/** An exclusion of a control that does not exist excludes nothing. */
function reportUnknownControls(exclude: readonly JsonObject[], tools: RuleTools): void {
  for (const [index, entry] of exclude.entries()) {
    const name = textField(entry, "controlName");
    if (controlNames.includes(name)) continue;
    tools.report({
      severity: "warning",
      code: "bad-pod-security",
      message: `There is no control "${name}" to exclude`,
      ...choosing(name, controlNames),
      path: ["validate", "podSecurity", "exclude", index, "controlName"],
    });
  }
}

/** Returns the images of containers by name, for reports. */
function imageReader(context: Context): (container: string) => string | undefined {
  const images = context.get("images");
  if (images === undefined || isFault(images)) return () => undefined;
  return (container) =>
    imageSearchOrder.map((list) => dig(images, list, container, "reference")).find(isString);
}
