import type * as full from "../compiled_exceptions.ts";

/** The exceptions of a bundle without exceptions. */
class CompiledExceptions implements Pick<full.CompiledExceptions, "forPolicy"> {
  forPolicy(): ReturnType<full.CompiledExceptions["forPolicy"]> {
    return () => [];
  }
}

export { CompiledExceptions };
