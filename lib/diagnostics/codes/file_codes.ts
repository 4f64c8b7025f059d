import type { CodeNote } from "./code_note.ts";

/** Codes about documents and files. */
export const fileCodes = {
  "duplicate-key": {
    cause: "A mapping has a key twice. The later value counts, as in the API server.",
    fix: "Remove one of the two.",
  },
  "former-version": {
    cause: "A policy file that was in force can no longer be read.",
    fix: "Mend the file; delete it to take its policies out of force.",
  },
  "invalid-yaml": {
    cause: "The text is no YAML, or goes beyond its limits of depth and aliases.",
    fix: "Go to the line that is named; the hint says what is often wrong there.",
  },
  "deep-folder": { cause: "Folders nest deeper than they are read.", fix: "Name the inner folder." },
  "empty-folder": {
    cause: "A folder holds no `.yaml`, `.yml` or `.json` file.",
    fix: "Check the path; files with other names are read when they are named themselves.",
  },
  "missing-file": { cause: "A path names no file or folder.", fix: "Check the path." },
  "large-file": { cause: "A file is longer than what is read of one.", fix: "Split it." },
  "long-document": { cause: "A document is longer than what is read of one.", fix: "Split it at `---`." },
  "too-many-files": { cause: "Folders hold more files than are read at once.", fix: "Name fewer folders." },
  "large-document": { cause: "A document is longer than 4 MB.", fix: "Split it at `---`." },
  "large-files": {
    cause: "Files are longer than what is read at once.",
    fix: "Name fewer files, or smaller ones.",
  },
  "more-documents": {
    cause: "Several documents stand where one counts.",
    fix: "Keep the one that is meant.",
  },
  "no-object": {
    cause: "A document is no Kubernetes object.",
    fix: "Give it `apiVersion`, `kind` and `metadata.name`.",
  },
  "no-policies": {
    cause: "The paths hold no policy.",
    fix: "Check the paths; folders are read with their subfolders.",
  },
  "no-policy": {
    cause: "A document in a folder of policies is none.",
    fix: "Move it, or name its file to have it checked.",
  },
  "recorded-images": {
    cause: "What was recorded of image registries cannot be read, or lacks an image that a rule reads.",
    fix: "Record the images again, with the policies and objects of today.",
  },
  "unreadable-address": {
    cause: "A git repository or a URL could not be read.",
    fix: "The message has the reason.",
  },
  "unreadable-cluster": {
    cause: "Objects of the cluster could not be listed.",
    fix: "Check the kubeconfig and the rights of its user.",
  },
  "unreadable-file": { cause: "A file is missing, or may not be read.", fix: "Check its path and rights." },
  "unwritable": {
    cause: "A report or another file could not be written.",
    fix: "Check its folder and rights.",
  },
  "docker-configuration": {
    cause: "A login of `~/.docker/config.json` cannot be used.",
    fix: "Put name and password under `auths`: credential helpers are not run.",
  },
} satisfies Readonly<Record<string, CodeNote>>;
