import { leftOutLibrary } from "./left_out_library.ts";

export const x509Library = leftOutLibrary("kyverno.x509");
