/** One SSE event whose data is JSON. */
export function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
