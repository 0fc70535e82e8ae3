/** Ends with code 0 if the server of this container responds. */
const port = process.env['PORT']?.trim() || '3141';
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
