/**
 * Returns the notes of a release: its section of the changelog, without the heading. `Unreleased` stands for the next
 * version. It throws when the changelog has no such section, or an empty one.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((each) => each.split("\n", 1)[0]!.trim().split(" ")[0] === version);
  if (section === undefined) {
    const found = sections.map((each) => each.split("\n", 1)[0]).join(", ");
    throw new Error(`the changelog has no section ${version}: it has ${found}`);
  }
  const text = section.slice(section.indexOf("\n")).trim();
  if (text === "") throw new Error(`the changelog says nothing about ${version}`);
  return `${text}\n`;
}
