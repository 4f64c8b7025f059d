import { leftOutProblem } from "../../left_out/left_out_rule.ts";
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

export { apiServerEvaluates, compileWebhookConditions };
