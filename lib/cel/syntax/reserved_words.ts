/** The words that CEL reserves besides its literals and `in`: no variable and no field has such a name. */
export const reservedWords: readonly string[] =
  "as break const continue else for function if import let loop package namespace return var void while"
    .split(" ");
