/** Runs a program and returns its standard output. It throws with the program's errors when the program fails. */
export async function output(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    ...options,
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}${text}`);
  return text;
}
