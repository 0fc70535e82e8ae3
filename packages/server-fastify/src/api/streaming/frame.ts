/** One SSE event whose data is JSON. */
export function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** An SSE comment, which clients ignore. Line breaks in the text would end it. */
export function comment(text: string): string {
  return `: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
}
