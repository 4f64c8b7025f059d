import { leftOutProblem } from "../../left_out/left_out_rule.ts";
import type { typeProblems as fullProblems } from "../rule_types.ts";
import type {
  apiServerEvaluates as fullEvaluates,
  compileWebhookConditions as full,
} from "../webhook_conditions.ts";

const compileWebhookConditions: typeof full = (written, { report }) => {
  if (written.length === 0) return undefined;
  report({ ...leftOutProblem("CEL"), path: ["spec", "webhookConfiguration", "matchConditions"] });
  return () => false;
};

const apiServerEvaluates: typeof fullEvaluates = () => false;

const typeProblems: typeof fullProblems = () => [];

export { apiServerEvaluates, compileWebhookConditions, typeProblems };
