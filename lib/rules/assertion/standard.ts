import { communityCompiler, communityFunctions, kyvernoFunctions } from "../../jmespath/mod.ts";
import { celForTrees } from "./cel.ts";
import { type Compilers, compilersOf } from "./compilers.ts";

let made: Compilers | undefined;

/** The compilers of policies: the community's JMESPath with Kyverno's functions, and CEL. They are made once. */
export function standardCompilers(): Compilers {
  return made ??= compilersOf(communityCompiler(communityFunctions(kyvernoFunctions())), celForTrees());
}
