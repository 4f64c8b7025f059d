/** A place in the payload as the tree reached it; linked from the leaf to the root, and written out only on violation. */
export interface Path {
  readonly parent: Path | undefined;
  readonly piece: string;
}

/** A field below a path; the key stands there as the tree has it. */
export function childPath(parent: Path | undefined, key: string): Path {
  return { parent, piece: parent === undefined ? key : `.${key}` };
}

/** An element below a path. */
export function elementPath(parent: Path | undefined, index: number | string): Path {
  return { parent, piece: `[${index}]` };
}

/** The path as text: `spec.~.containers[0].image`; `<nil>` for the payload itself, as the reference writes it. */
export function pathText(path: Path | undefined): string {
  if (path === undefined) return "<nil>";
  const pieces: string[] = [];
  for (let place: Path | undefined = path; place !== undefined; place = place.parent) {
    pieces.push(place.piece);
  }
  return pieces.reverse().join("");
}
