export const pong = JSON.stringify({ type: 'PONG', success: true });

/** Whether a client asks whether the connection is alive. */
export function isPing(text: string): boolean {
  try {
    const message = JSON.parse(text) as { readonly type?: unknown } | null;
    return message?.type === 'PING';
  } catch {
    return false;
  }
}
