import { withoutExceptions } from "../compiled.ts";
import type * as full from "../compiled_exceptions.ts";

/** Stands in for the compiled PolicyExceptions in bundles that have none: no rule has an exception. */
class CompiledExceptions implements Pick<full.CompiledExceptions, "forPolicy"> {
  forPolicy(): ReturnType<full.CompiledExceptions["forPolicy"]> {
    return () => withoutExceptions;
  }
}

export { CompiledExceptions };
