import { answers, type Runtime, startServing } from "./running_bundle.ts";

/** Node.js, which serves the file as a program: settings are environment variables. */
export const nodeRuntime: Runtime = {
  target: "node",
  isHere: () => answers("node", "--version"),
  serve: ({ file, settings }) =>
    startServing({
      command: "node",
      args: [file],
      env: { ...settings, PORT: "0" },
      listens: /listening on http:\/\/[\d.]+:(\d+)/,
    }),
};
