/** A rule of many parts, each of which looks at a whole object: the parts have one bound together. */
export const manyParts = (body: string, match = "match: {any: [{resources: {kinds: [Pod]}}]}"): string => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: many-parts}
spec:
  validationFailureAction: Enforce
  rules:
  - name: many
    ${match}
    ${body}
`;

/** Some parts, with commas between them. */
export const many = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(", ");
