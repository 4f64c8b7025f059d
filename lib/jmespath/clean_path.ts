/** A path without empty steps, `.` and `..`, as Go's `path.Clean`; a relative one may still begin with `..`. */
export function cleanPath(path: string): string {
  const absolute = path.startsWith("/");
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "" || step === ".") continue;
    if (step !== ".." || (!absolute && (steps.length === 0 || steps.at(-1) === ".."))) steps.push(step);
    else steps.pop();
  }
  return absolute ? `/${steps.join("/")}` : steps.join("/") || ".";
}
