/**
 * Precedes the hexadecimal code of a character that PostgreSQL cannot store in `text`: NUL, or half
 * of a surrogate pair.
 */
const escape = '␛';

/**
 * Encodes any string as PostgreSQL `text`. Most strings stay as they are. The encoding is unique
 * and keeps prefixes: `toText(a + b)` is `toText(a) + toText(b)` at a `/`.
 */
export function toText(value: string): string {
  if (value.isWellFormed() && !value.includes('\0') && !value.includes(escape)) return value;
  return value
    .replaceAll(escape, escaped)
    .replaceAll('\0', escaped)
    .replaceAll(/\p{Surrogate}/gu, escaped);
}

/** Decodes what {@link toText} has encoded. */
export function fromText(text: string): string {
  if (!text.includes(escape)) return text;
  return text.replaceAll(/␛([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function escaped(character: string): string {
  return escape + character.charCodeAt(0).toString(16).padStart(4, '0');
}
