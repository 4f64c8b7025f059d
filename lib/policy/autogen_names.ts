/** The beginning of the names of autogen rules. */
export const autogenPrefix = "autogen-";
/** The beginning of the names of autogen rules for CronJobs. */
export const cronJobPrefix = "autogen-cronjob-";

/** Whether a rule has the name of an autogen rule. */
export function isAutogenName(name: string): boolean {
  return name.startsWith(autogenPrefix);
}

/** The name of the written rule that an autogen rule is derived from; the same name for a written rule. */
export function writtenRuleName(name: string): string {
  const prefix = [cronJobPrefix, autogenPrefix].find((each) => name.startsWith(each)) ?? "";
  return name.slice(prefix.length);
}

/** Whether a rule has a name, or is one of the autogen rules that may be derived from the rule of that name. */
export function isRuleNamed(rule: string, name: string): boolean {
  return [name, `${autogenPrefix}${name}`, `${cronJobPrefix}${name}`].includes(rule);
}
