/** A place in the payload as the tree reached it; linked from the leaf to the root, and written out only on violation. */
export interface TreePath {
  readonly parent: TreePath | undefined;
  readonly piece: string;
}

/** A field below a path; the key stands there as the tree has it. */
export function childPath(parent: TreePath | undefined, key: string): TreePath {
  return { parent, piece: parent === undefined ? key : `.${key}` };
}

/** An element below a path. */
export function elementPath(parent: TreePath | undefined, index: number | string): TreePath {
  return { parent, piece: `[${index}]` };
}

/** The path as text: `spec.~.containers[0].image`; `<nil>` for the payload itself, as Kyverno writes it. */
export function pathText(path: TreePath | undefined): string {
  if (path === undefined) return "<nil>";
  const pieces: string[] = [];
  for (let place: TreePath | undefined = path; place !== undefined; place = place.parent) {
    pieces.push(place.piece);
  }
  return pieces.reverse().join("");
}
