import { leftOutLibrary } from "./left_out_library.ts";

export const semverLibrary = leftOutLibrary("kubernetes.Semver");
