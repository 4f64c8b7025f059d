import type * as full from "../exception.ts";

/** Bundles get their exceptions when they are made; one without exceptions reads none. */
const parseException: typeof full.parseException = () => ({
  exception: undefined,
  diagnostics: [{
    severity: "error",
    code: "left-out",
    message: "this bundle was made without exceptions: make it again with the exception",
  }],
});

export { parseException };
