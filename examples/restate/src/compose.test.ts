import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const { services, volumes } = parse(read('../compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const nodes = Object.entries(services).filter(([name]) => name.startsWith('restate-'));

it('has three nodes that know each other, one of which creates the cluster', () => {
  expect(nodes).toHaveLength(3);
  for (const [name, { environment }] of nodes) {
    expect(environment).toMatchObject({
      RESTATE_NODE_NAME: name,
      RESTATE_ADVERTISED_ADDRESS: `http://${name}:5122`,
      RESTATE_DEFAULT_REPLICATION: '2',
    });
    expect(JSON.parse(environment['RESTATE_METADATA_CLIENT__ADDRESSES'] ?? '')).toEqual(
      nodes.map(([node]) => `http://${node}:5122`),
    );
  }
  const provisioning = nodes.filter(([, { environment }]) => environment['RESTATE_AUTO_PROVISION'] === 'true');
  expect(provisioning).toHaveLength(1);
});

it('runs the version that is tested, keeps data in volumes, and is reachable from this machine only', () => {
  const { dependencies } = JSON.parse(read('../../../tools/programs/restate-server/package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const [, { image }] of nodes) expect(image.split(':')[1]).toBe(dependencies['@restatedev/restate-server']);
  const used = Object.values(services).flatMap((service) => service.volumes.map((volume) => volume.replace(/:.*/, '')));
  expect(used.toSorted()).toEqual(Object.keys(volumes).toSorted());
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});
