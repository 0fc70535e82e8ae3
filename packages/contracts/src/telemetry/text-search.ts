/** How many of the newest logs a search for a text looks at: those that match all other filters. */
export const searchedLogs = 10_000;

/** The same for traces, of which it looks at all spans. */
export const searchedTraces = 2_000;

/** The text as it occurs in JSON, with A to Z in lower case. */
export function searchedText(text: string): string {
  return lowerCase(JSON.stringify(text).slice(1, -1));
}

/**
 * Whether the record, as JSON, contains the text. A to Z match in either case; other letters must
 * be equal, so that every database can compare them.
 */
export function containsText(record: object, text: string): boolean {
  return lowerCase(JSON.stringify(record)).includes(searchedText(text));
}

function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
