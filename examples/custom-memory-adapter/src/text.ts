/** Begins the code of a character that SQLite cannot keep. It stands in next to no text, so that nearly all are written as they are. */
const mark = '\uE0FF';

/**
 * A string as SQLite keeps it: other than these few, texts stay as they are, and in their order. A text ends at NUL there, and UTF-8 has no halves of
 * surrogate pairs.
 */
export function toText(value: string): string {
  if (value.isWellFormed() && !value.includes('\0') && !value.includes(mark)) return value;
  return value
    .replaceAll(mark, code)
    .replaceAll('\0', code)
    .replaceAll(/\p{Surrogate}/gu, code);
}

export function fromText(text: string): string {
  const [plain = '', ...coded] = text.split(mark);
  return (
    plain + coded.map((piece) => String.fromCharCode(Number.parseInt(piece.slice(0, 4), 16)) + piece.slice(4)).join('')
  );
}

function code(character: string): string {
  return mark + character.charCodeAt(0).toString(16).padStart(4, '0');
}
