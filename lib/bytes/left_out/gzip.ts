import { Fault } from "../../json/mod.ts";
import type * as full from "../gzip.ts";

const problem = "this bundle was made without gzip: make it again with the policy";

const gunzip: typeof full.gunzip = () => new Fault(problem);
const gzip: typeof full.gzip = () => {
  throw new Error(problem);
};

export { gunzip, gzip };
