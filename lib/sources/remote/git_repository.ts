import { readFiles } from "../../adapters/mod.ts";
import { isFault } from "../../json/mod.ts";
import { checkout, isAddress } from "../git.ts";
import { type RemoteSource, unreadable } from "./remote_source.ts";

/** The address of a git repository, or of a folder in it. Diagnostics name files by their addresses. */
export const gitRepository: RemoteSource = {
  accepts: isAddress,
  async read(address, options) {
    const found = await checkout(address, options);
    if (isFault(found)) return unreadable(address, found);
    await using repository = found;
    const { files, diagnostics } = await readFiles([repository.folder]);
    const named = (file: string): string => `${repository.address}${file.slice(repository.folder.length)}`;
    return {
      files: files.map(({ file, text }) => ({ file: named(file), text })),
      diagnostics: diagnostics.map(({ position, ...rest }) => ({
        ...rest,
        ...(position !== undefined && { position: { ...position, file: named(position.file) } }),
      })),
    };
  },
};
