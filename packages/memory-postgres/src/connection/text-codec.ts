/** Stands before the code of a character that no `text` holds: NUL, or a half of a surrogate pair. */
const mark = '␛';

/** A string as a `text` that PostgreSQL holds; different strings stay different, and begin alike if they did. Nearly all stay as they are. */
export function toText(value: string): string {
  if (value.isWellFormed() && !value.includes('\0') && !value.includes(mark)) return value;
  return value
    .replaceAll(mark, coded)
    .replaceAll('\0', coded)
    .replaceAll(/\p{Surrogate}/gu, coded);
}

export function fromText(text: string): string {
  if (!text.includes(mark)) return text;
  return text.replaceAll(/␛([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function coded(character: string): string {
  return mark + character.charCodeAt(0).toString(16).padStart(4, '0');
}
