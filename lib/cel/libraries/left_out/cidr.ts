import { leftOutLibrary } from "./left_out_library.ts";

export const cidrLibrary = leftOutLibrary("kubernetes.net.cidr");
