/** What `asked` comes to; null when it has not by then. What it comes to later is let go. */
export async function within<Value>(limitMs: number, asked: Promise<Value> | Value): Promise<Value | null> {
  if (!isThenable(asked)) return asked;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), limitMs);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

function isThenable<Value>(value: Promise<Value> | Value): value is Promise<Value> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
