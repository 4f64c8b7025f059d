/**
 * The Pod Security Standards: every control of every version at the levels privileged, baseline and restricted, for
 * Pods and the seven kinds of controllers, with exclusions by control, image, field and value.
 *
 * Not supported: `hostProbesAndHostLifecycle` names no fields and has no control name, so it cannot be excluded;
 * annotations of a CronJob are read from the pod's template, not from the job's, where they have no effect.
 *
 * @module
 */
export { type FieldViolation, type Level, type Standard, type Violation } from "./control.ts";
export { controls } from "./controls/mod.ts";
export type { Exclusion } from "./exclusion.ts";
export { failureMessage, type FailureText } from "./message.ts";
export type { PodView } from "./pod.ts";
export {
  compileExclusions,
  compilePodSecurity,
  type PodSecurity,
  type PodSecurityVerdict,
} from "./pod_security.ts";
export { type ReportInput, reportProperties } from "./properties.ts";
export { podKinds } from "./workload.ts";
