/** How long the abbreviation of a time zone at the beginning of a text is by Go's rules; 0 when there is none. */
export function zoneNameLength(text: string): number {
  if (text.length < 3) return 0;
  if (/^(?:ChST|MeST)/.test(text)) return 4;
  if (text.startsWith("GMT")) return 3 + signedHoursLength(text.slice(3));
  if (/^[+-]/.test(text)) return signedHoursLength(text);
  const letters = /^[A-Z]{0,6}/.exec(text)![0].length;
  switch (letters) {
    case 5:
      return text[4] === "T" ? 5 : 0;
    case 4:
      return text[3] === "T" || text.startsWith("WITA") ? 4 : 0;
    case 3:
      return 3;
    default:
      return 0;
  }
}

/** The length of `+3` or `-11`; 0 when it is none or more than 23 hours. */
function signedHoursLength(text: string): number {
  const digits = /^[+-]([0-9]+)/.exec(text);
  return digits === null || Number(digits[1]) > 23 ? 0 : digits[0].length;
}
