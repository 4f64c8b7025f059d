import { Fault } from "../../json/mod.ts";
import { nameOf } from "../../kube/mod.ts";
import type * as full from "../json_policies.ts";

const leftOut = new Fault("this bundle was made without JSON policies");

const isJsonPolicy: typeof full.isJsonPolicy = ({ group }) => group === "json.kyverno.io";

/** A bundle without this part was made without JSON policies: a JSON policy is reported. */
const compileJsonPolicy: typeof full.compileJsonPolicy = ({ document }, report) => {
  const name = nameOf(document);
  const hint = "make the bundle again with this policy";
  report({ severity: "error", code: "left-out", message: leftOut.message, hint, policy: name });
  return { name, problems: [], scan: () => [], document, labels: {} };
};

const preprocess: typeof full.preprocess = () => leftOut;
const payloadItems: typeof full.payloadItems = () => [];
const scanPayload: typeof full.scanPayload = () => [];
const scanInSteps: typeof full.scanInSteps = () => Promise.resolve([]);

export { compileJsonPolicy, isJsonPolicy, payloadItems, preprocess, scanInSteps, scanPayload };
