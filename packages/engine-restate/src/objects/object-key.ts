/**
 * Precedes the code of what the key of an object or of a value cannot contain: half of a surrogate
 * pair, which UTF-8 does not have.
 */
const escape = '\u241b';

/** Encodes any id as a key. Most ids stay as they are. */
export function toKey(id: string): string {
  if (id.isWellFormed() && !id.includes(escape)) return id;
  return id.replaceAll(escape, escaped).replaceAll(/\p{Surrogate}/gu, escaped);
}

/** Decodes what {@link toKey} has encoded. */
export function fromKey(key: string): string {
  return key.replaceAll(/\u241b([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function escaped(character: string): string {
  return escape + character.charCodeAt(0).toString(16).padStart(4, '0');
}
