/** The fields of a rule that may hold its body, in the order in which they are read. */
export const sections = ["validate", "mutate", "generate", "verifyImages"] as const;

/** The field of a rule that holds its body. */
export type Section = (typeof sections)[number];
