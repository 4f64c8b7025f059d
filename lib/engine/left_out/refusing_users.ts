import type * as full from "../refusing_users.ts";

/** Only commands refuse users in background scans. */
const refusingUsers: typeof full.refusingUsers = (_policy, options, compiled) => compiled(options);

export { refusingUsers };
