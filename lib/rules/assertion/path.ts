/** A path in the payload, linked from the leaf to the root. It becomes text only for a violation. */
export interface TreePath {
  readonly parent: TreePath | undefined;
  readonly piece: string;
}

/** The path of a field. The key is that of the tree. */
export function childPath(parent: TreePath | undefined, key: string): TreePath {
  return { parent, piece: parent === undefined ? key : `.${key}` };
}

/** The path of an element. */
export function elementPath(parent: TreePath | undefined, index: number | string): TreePath {
  return { parent, piece: `[${index}]` };
}

/** The path as text: `spec.~.containers[0].image`; `<nil>` for the payload itself. */
export function pathText(path: TreePath | undefined): string {
  if (path === undefined) return "<nil>";
  const pieces: string[] = [];
  for (let part: TreePath | undefined = path; part !== undefined; part = part.parent) {
    pieces.push(part.piece);
  }
  return pieces.reverse().join("");
}
