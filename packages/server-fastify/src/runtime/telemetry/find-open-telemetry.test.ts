import { afterEach, expect, it, vi } from 'vitest';
import { findOpenTelemetry } from './find-open-telemetry.ts';

const warn = vi.fn<(fields: object, message: string) => void>();
const logger = { debug: () => {}, info: () => {}, warn, error: () => {} };
const registered = Symbol.for('opentelemetry.js.api.1');
const variables = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_EXPORTER', 'OTEL_SDK_DISABLED'];

afterEach(() => {
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, registered);
  warn.mockClear();
});

async function isLookedFor(env: Readonly<Record<string, string>>): Promise<boolean> {
  for (const name of variables) vi.stubEnv(name, env[name]);
  // OpenTelemetry is used, or a warning is logged if it is not installed.
  return (await findOpenTelemetry(logger)) !== undefined || warn.mock.calls.length > 0;
}

it.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, true],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' }, false],
])('OpenTelemetry is loaded only if variables configure it: %o', async (env, expected) => {
  expect(await isLookedFor(env)).toBe(expected);
});

it('is loaded if the app has registered an SDK', async () => {
  Reflect.set(globalThis, registered, { trace: {} });
  expect(await isLookedFor({})).toBe(true);
});
