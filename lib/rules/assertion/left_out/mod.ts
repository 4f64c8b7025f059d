import type * as full from "../mod.ts";

/** Nothing in a bundle reads assertion trees when it has none: rules of `validate.assert` are reported before. */
function leftOut(): never {
  throw new Error("this bundle was made without assertion trees");
}

export const compileJsonPolicy: typeof full.compileJsonPolicy = leftOut;
export const compileTree: typeof full.compileTree = leftOut;
export const failureText: typeof full.failureText = leftOut;
export const standardCompilers: typeof full.standardCompilers = leftOut;
export const violationText: typeof full.violationText = leftOut;
