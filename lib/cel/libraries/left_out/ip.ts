import { leftOutLibrary } from "./left_out_library.ts";

export const ipLibrary = leftOutLibrary("kubernetes.net.ip");
