/** The least number of characters of a secret path that nobody can guess. */
const least = 17;

/**
 * Why a path is no secret path; `undefined` when it is one. Below `/` or a short word anybody could send reviews, so
 * only servers that nobody else reaches may have a short one.
 */
export function secretPathProblem(path: string, access: "public" | "loopback"): string | undefined {
  if (!/^(?:\/[A-Za-z0-9._~-]+)+$/.test(path)) {
    return "must begin with / and have letters, digits, and - . _ ~ after it";
  }
  return access === "public" && path.length < least
    ? `on a public address needs ${least} characters, or it can be guessed`
    : undefined;
}
