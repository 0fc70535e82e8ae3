import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@halyard/test-docs/documents';
import { expect, it } from 'vitest';
import { defaultLimits } from '../../../../packages/server-fastify/src/admission/limits.ts';
import { readYaml } from './manifests.ts';

const folder = join(root, 'examples/deploy');

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}
const compose = readYaml('compose.yml') as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};
const { services } = compose;
const replicas = Object.entries(services).filter(([name]) => name.startsWith('app-'));

it('has two equal replicas, which cannot change their files', () => {
  expect(replicas).toHaveLength(2);
  expect(replicas[0]?.[1]).toEqual(replicas[1]?.[1]);
  for (const [, replica] of replicas) {
    expect(replica).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(Number.parseInt(replica.stop_grace_period ?? '', 10) * 1_000).toBeGreaterThanOrEqual(
      Number(replica.environment?.['SHUTDOWN_DELAY_MS']) + defaultLimits.shutdownGraceMs + 15_000,
    );
    expect(existsSync(join(folder, replica.build?.context ?? '', replica.build?.dockerfile ?? ''))).toBe(true);
  }
});

it('mounts only files that exist, and declares every secret', () => {
  const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
    volumes.filter((path) => path.startsWith('./')),
  );
  expect(mounted.length).toBeGreaterThan(0);
  expect(mounted.filter((path) => !existsSync(join(folder, path.split(':')[0] ?? '')))).toEqual([]);
  const used = Object.values(services).flatMap(({ secrets = [] }) => secrets);
  expect([...new Set(used)].toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
  for (const [, { environment = {}, secrets = [] }] of replicas) {
    const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    expect(files.map(([, path]) => path.replace('/run/secrets/', '')).toSorted()).toEqual([...secrets].toSorted());
  }
});

it('is reachable from this machine only', () => {
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports).toEqual(['127.0.0.1:8080:8080']);
});

it('sends requests to each replica that is ready', () => {
  const proxy = readFileSync(join(folder, 'compose/Caddyfile'), 'utf8');
  expect(/reverse_proxy (.*) \{/.exec(proxy)?.[1]?.split(' ')).toEqual(replicas.map(([name]) => `${name}:3141`));
  expect(proxy).toContain('health_uri /readyz');
});

it('sends traces and logs to the collector, which receives both', () => {
  const { receivers, service } = readYaml('compose/collector.yml') as {
    receivers: { otlp: { protocols: { http: { endpoint: string } } } };
    service: { pipelines: Record<string, { receivers: string[] }> };
  };
  const [, replica] = replicas[0] ?? [];
  const { port } = new URL(replica?.environment?.['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '');
  expect(receivers.otlp.protocols.http.endpoint).toBe(`0.0.0.0:${port}`);
  expect(Object.keys(service.pipelines)).toEqual(['traces', 'logs']);
});
