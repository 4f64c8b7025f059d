import { leftOutLibrary } from "./left_out_library.ts";

export const formatLibrary = leftOutLibrary("kubernetes.format");
