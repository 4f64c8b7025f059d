import type * as full from "../refusing_unstored.ts";

/** Only commands refuse users in background scans. */
const refusingUnstored: typeof full.refusingUnstored = (_policy, options, compiled) => compiled(options);

export { refusingUnstored };
