import type * as full from "../kyverno_refusals.ts";

/** Only commands refuse users in background scans. */
const compileUnlessRefused: typeof full.compileUnlessRefused = (_policy, options, compiled) =>
  compiled(options);

const celRefusals: typeof full.celRefusals = () => [];

const refusedWarningCodes: typeof full.refusedWarningCodes = new Set([]);

export { celRefusals, compileUnlessRefused, refusedWarningCodes };
