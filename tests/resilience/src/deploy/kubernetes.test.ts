import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { defaultLimits, fixedLimits } from '../../../../packages/server-fastify/src/admission/limits.ts';
import { dockerfileText, readImageSettings, readStages } from './image/dockerfile.ts';
import { type Manifest, readManifest } from './manifests.ts';

const kinds = {
  ConfigMap,
  Deployment,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
} as const;

function kindOf({ kind }: Manifest): (typeof kinds)[keyof typeof kinds] {
  if (!Object.hasOwn(kinds, kind)) throw new Error(`The tests do not know the kind ${kind}`);
  return kinds[kind as keyof typeof kinds];
}

const files = ['kubernetes/app.yml', 'kubernetes/migrate.yml', 'kubernetes/secret.example.yml'];
const manifests = files.flatMap((file) => readManifest(file));

function find<Kind extends keyof typeof kinds>(kind: Kind): InstanceType<(typeof kinds)[Kind]> {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`There is no ${kind}`);
  return found as unknown as InstanceType<(typeof kinds)[Kind]>;
}

const deployment = find('Deployment').spec;
const app = deployment?.template.spec;
const migration = find('Job').spec?.template.spec;
const [container] = app?.containers ?? [];

it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
  '%s matches the schema of Kubernetes',
  (_name, manifest) => {
    const model = new (kindOf(manifest))(manifest);
    expect(() => model.validate()).not.toThrow();
    expect(model.apiVersion).toBe(manifest.apiVersion);
  },
);

describe.each([
  ['the replicas', app],
  ['the migration', migration],
])('the pods of %s', (_name, pod) => {
  it('run as the user of the image, without privileges, and with files that they cannot change', () => {
    const [uid, gid] = readImageSettings(readStages(dockerfileText())).user.split(':').map(Number);
    expect(pod?.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: uid,
      runAsGroup: gid,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod?.automountServiceAccountToken).toBe(false);
    expect(pod?.containers).toHaveLength(1);
    expect(pod?.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('request and limit CPU and memory', () => {
    const resources = pod?.containers[0]?.resources;
    for (const each of [resources?.requests, resources?.limits])
      expect(Object.keys(each ?? {}).toSorted()).toEqual(['cpu', 'memory']);
  });

  it('read their secrets from files for their group only', () => {
    const secret = pod?.volumes?.find(({ name }) => name === 'secrets')?.secret;
    expect(secret?.defaultMode).toBe(0o440);
    const mount = pod?.containers[0]?.volumeMounts?.find(({ name }) => name === 'secrets');
    const example = find('Secret').stringData ?? {};
    const paths = (pod?.containers[0]?.env ?? []).map(({ value }) => value);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !Object.keys(example).some((key) => path === `${mount?.mountPath}/${key}`))).toEqual(
      [],
    );
  });
});

it('gives a replica the time that its shutdown takes', () => {
  const preStopMs = (container?.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1_000;
  expect(preStopMs).toBeGreaterThan(0);
  const graceMs = (app?.terminationGracePeriodSeconds ?? 0) * 1_000;
  // Docs: 15 s after the grace period for the last events and writes.
  expect(graceMs - preStopMs).toBeGreaterThanOrEqual(defaultLimits.shutdownGraceMs + 15_000);
});

it('never has less than two replicas, neither in a deploy nor when nodes are drained', () => {
  expect(deployment?.replicas).toBeGreaterThanOrEqual(2);
  expect(deployment?.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
  expect(find('PodDisruptionBudget').spec?.maxUnavailable).toBe(1);
});

it('probes the process for restarts, and the database for requests only', () => {
  const { livenessProbe, readinessProbe, startupProbe } = container ?? {};
  expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path)).toEqual([
    '/healthz',
    '/healthz',
    '/readyz',
  ]);
  expect((readinessProbe?.timeoutSeconds ?? 0) * 1_000).toBeGreaterThan(fixedLimits.readinessMs);
  // The server listens after at most a minute.
  expect((startupProbe?.periodSeconds ?? 0) * (startupProbe?.failureThreshold ?? 0)).toBeGreaterThan(60);
});

it('selects the same pods everywhere, and no pods of the migration', () => {
  const labels = deployment?.template.metadata?.labels;
  const policy = find('NetworkPolicy').spec?.podSelector;
  const selectors = [deployment?.selector, find('PodDisruptionBudget').spec?.selector, policy];
  expect(selectors).toEqual(selectors.map(() => ({ matchLabels: labels })));
  expect(find('Service').spec?.selector).toEqual(labels);
  expect(find('Job').spec?.template.metadata?.labels).not.toEqual(labels);
});

it('runs the migration with the image of the replicas', () => {
  expect(migration?.containers[0]?.image).toBe(container?.image);
});

it('contains no secret', () => {
  const values = Object.values(find('Secret').stringData ?? {});
  expect(values.length).toBeGreaterThan(0);
  expect(values.filter((value) => !/<\w+>/.test(value))).toEqual([]);
});

it('does not let replicas reach other pods or the metadata of the cloud by HTTPS', () => {
  const egress = find('NetworkPolicy').spec?.egress ?? [];
  const [toAll] = egress.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
  expect(toAll).toMatchObject({ cidr: '0.0.0.0/0' });
  for (const range of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
    expect(toAll?.except).toContain(range);
});
