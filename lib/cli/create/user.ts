import type { Terminal } from "../terminal.ts";
import { type OutputArguments, writeObject } from "./write_object.ts";

/** The options of `create user-info`. */
export interface CreateUserInfoArguments extends OutputArguments {
  readonly username?: string;
  readonly role: readonly string[];
  readonly clusterRole: readonly string[];
  readonly group: readonly string[];
}

/** `create user-info`: writes a user with groups and roles. */
export async function createUserInfo(args: CreateUserInfoArguments, terminal: Terminal): Promise<number> {
  return await writeObject(
    {
      apiVersion: "cli.kyverno.io/v1alpha1",
      kind: "UserInfo",
      ...(args.role.length > 0 && { roles: args.role }),
      ...(args.clusterRole.length > 0 && { clusterRoles: args.clusterRole }),
      userInfo: { username: args.username ?? "", ...(args.group.length > 0 && { groups: args.group }) },
    },
    args,
    terminal,
  );
}
