/** One SSE event whose data is JSON. */
export function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** {@link frame} of the event there are most of, at a third of its cost. */
export function textDeltaFrame(id: string, delta: string): string {
  return `data: {"type":"text-delta","id":${JSON.stringify(id)},"delta":${JSON.stringify(delta)}}\n\n`;
}
