/** Starts `deno …` as a server and waits until it says where it listens. */
export interface Served extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` or `https://…`, without a slash at the end. */
  readonly address: string;
  readonly process: Deno.ChildProcess;
  /** What it has written to standard error so far. */
  said(): string;
}

export async function served(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly cwd?: string },
): Promise<Served> {
  const process = new Deno.Command("deno", {
    args: [...args],
    ...options,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  })
    .spawn();
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reading = (async () => {
    for await (const text of process.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      const address = /[Ll]isten(?:ing|s) on (https?:\/\/[^\s/]+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    }
    reject(new Error(`the server ended: ${said}`));
  })();
  const close = async () => {
    try {
      process.kill("SIGTERM");
    } catch { /* it ended by itself */ }
    await process.status;
    await reading;
  };
  try {
    const address = await promise;
    return { address, process, said: () => said, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
